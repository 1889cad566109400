import { describeParameters } from './describe-parameters.ts';
import { isPlainObject, type JsonSchema } from './json.ts';
import { nearestNames } from './suggest.ts';
import type { Tool } from './tool.ts';
import type { ToolErrorOptions, ToolIssue } from './tool-error.ts';

const MAX_SHOWN = 10;

/** What an `invalid_arguments` error says: every fault, then what the tool takes, so that the next call is right. */
export function explainIssues(
  tool: Tool,
  given: readonly ToolIssue[],
  args?: unknown,
): ToolErrorOptions & { readonly code: 'invalid_arguments' } {
  const { name } = tool.metadata;
  const issues = [...given.map(withoutPath), ...findStrayKeys(tool, given, args)];
  const lines = issues.slice(0, MAX_SHOWN).map((issue) => `- ${formatPath(issue.path)}: ${issue.message}`);
  if (issues.length > MAX_SHOWN) lines.push(`- and ${issues.length - MAX_SHOWN} more`);
  const first = issues[0];
  return {
    code: 'invalid_arguments',
    message: `Invalid arguments for "${name}":\n${lines.join('\n')}\n${expectation(tool)}`,
    toolName: name,
    field: first === undefined ? undefined : formatPath(first.path),
    reason: first?.message,
    issues,
  };
}

/** Some libraries begin a message with the name of the field, which stands in front of it already. */
function withoutPath(issue: ToolIssue): ToolIssue {
  const prefix = `${formatPath(issue.path)} `;
  return issue.message.startsWith(prefix) ? { ...issue, message: issue.message.slice(prefix.length) } : issue;
}

/** A misspelt argument shows up as a missing one; schemas that pass over unknown keys do not say why. */
function findStrayKeys(tool: Tool, issues: readonly ToolIssue[], args: unknown): ToolIssue[] {
  const properties = readSchema(tool)?.['properties'];
  if (!isPlainObject(args) || !isPlainObject(properties)) return [];
  const known = Object.keys(properties);
  return Object.keys(args)
    .filter((key) => !Object.hasOwn(properties, key) && !issues.some(({ path }) => path[0] === key))
    .flatMap((key) => {
      const [nearest] = nearestNames(key, known, 1);
      return nearest === undefined || Object.hasOwn(args, nearest)
        ? []
        : [{ path: [key], message: `is not a known argument. Did you mean "${nearest}"?` }];
    });
}

function readSchema(tool: Tool): JsonSchema | undefined {
  try {
    return tool.inputSchema;
  } catch {
    // A schema that cannot be shown can still be checked.
    return undefined;
  }
}

/** `filter.tags[2]`; `arguments` for the whole input. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text === '' ? 'arguments' : text;
}

function expectation(tool: Tool): string {
  const schema = readSchema(tool);
  if (schema === undefined) return 'Correct these and call again.';
  const parameters = describeParameters(schema);
  return parameters === ''
    ? 'This tool takes no arguments: send {}.'
    : `It takes: ${parameters}. Correct these and call again.`;
}
