import { isPlainObject, type JsonSchema } from '../json.ts';
import { describeVariant } from '../parameters/describe-parameters.ts';
import { allParameters, pickVariant, readVariants, type Variant } from '../parameters/read-variants.ts';
import { createReferenceFinder, type FindReference } from '../parameters/schema-node.ts';
import { nearestNames } from './suggest.ts';
import { MANY, explainUnknown } from './explain-unknown.ts';
import { wordsOf } from '../tool-marks.ts';
import type { ToolErrorOptions, ToolIssue } from '../tool-error.ts';
import type { ToolMetadata } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';

const MAX_SHOWN = 10;
/** Maximum characters of the description of a tool's parameters for models. */
const MAX_EXPECTATION = 1200;
/** The same for tools with so many arguments that a partial list helps little. */
const MAX_OF_MANY = 500;

/** Builds an `invalid_arguments` error: every fault, then the tool's parameters, so that the next call is right. */
export function explainIssues(
  tool: Tool,
  given: readonly ToolIssue[],
  args?: unknown,
): ToolErrorOptions & { readonly code: 'invalid_arguments' } {
  const { name } = tool.metadata;
  const takes = readTakes(tool);
  const shown = given
    .map((issue) => explainMissing(withoutPath(issue), args))
    .flatMap((issue) => explainUnion(issue, takes?.variants ?? [], args));
  const found = [...shown, ...findStrayKeys(takes?.variants ?? [], shown, args)];
  const known = { parameters: allParameters(takes?.variants ?? []), words: wordsOf(tool), args };
  const issues = found.map((issue) => explainUnknown(issue, found, known));
  const lines = issues.slice(0, MAX_SHOWN).map((issue) => `- ${formatPath(issue.path)}: ${issue.message}`);
  if (issues.length > MAX_SHOWN) lines.push(`- and ${issues.length - MAX_SHOWN} more`);
  const first = issues[0];
  return {
    code: 'invalid_arguments',
    message: `Invalid arguments for "${name}":\n${lines.join('\n')}\n${expectation(takes, args)}`,
    toolName: name,
    field: first === undefined ? undefined : formatPath(first.path),
    reason: first?.message,
    issues,
  };
}

/** Removes the field's name from messages that start with it, because it is already shown. */
function withoutPath(issue: ToolIssue): ToolIssue {
  const prefix = `${formatPath(issue.path)} `;
  return issue.message.startsWith(prefix) ? { ...issue, message: issue.message.slice(prefix.length) } : issue;
}

/** Replaces a vague message about an object that matches no variant with the keys that the nearest one requires. */
function explainUnion(issue: ToolIssue, variants: readonly Variant[], args: unknown): ToolIssue[] {
  const isVague =
    issue.path.length === 0 && (isStockMessage(issue.message) || issue.message.startsWith('matches none'));
  if (!isVague || variants.length < 2 || !isPlainObject(args)) return [issue];
  const likely = pickVariant(variants, args)?.variant.parameters ?? [];
  const missing = likely.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name));
  if (missing.length > 0) return missing.map(({ name }) => ({ path: [name], message: 'is required' }));
  return [{ ...issue, message: 'match none of its sets of arguments' }];
}

/** Maximum keys of arguments to compare with known ones: no tool has as many. */
const MOST_KEYS = 200;

/** Finds misspelt arguments. Schemas that ignore unknown keys report only the missing one. */
function findStrayKeys(variants: readonly Variant[], issues: readonly ToolIssue[], args: unknown): ToolIssue[] {
  if (!isPlainObject(args)) return [];
  const likely = pickVariant(variants, args)?.variant;
  const known = new Set((likely?.parameters ?? allParameters(variants)).map(({ name }) => name));
  return Object.keys(args)
    .slice(0, MOST_KEYS)
    .filter((key) => !known.has(key) && !issues.some(({ path }) => path[0] === key))
    .flatMap((key) => {
      const [nearest] = nearestNames(key, known, 1);
      return nearest === undefined || Object.hasOwn(args, nearest)
        ? []
        : [{ path: [key], message: `is not a known argument. Did you mean "${nearest}"?` }];
    });
}

/** The parameters of a tool, with a resolver for references in its schema. */
interface Takes {
  readonly variants: readonly Variant[];
  readonly find: FindReference;
  readonly examples: ToolMetadata['examples'];
}

function readTakes(tool: Tool): Takes | undefined {
  let schema: JsonSchema;
  try {
    schema = tool.inputSchema;
  } catch {
    // A schema that cannot be shown can still be checked.
    return undefined;
  }
  const find = createReferenceFinder(schema);
  return { variants: readVariants(schema, find), find, examples: tool.metadata.examples };
}

/** Formats a path: `filter.tags[2]`; `arguments` for the whole input. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text === '' ? 'arguments' : text;
}

function expectation(takes: Takes | undefined, args: unknown): string {
  if (takes === undefined || takes.variants.length === 0) return 'Correct these and call again.';
  const described = describeTaken(takes, args);
  return described === '' ? 'This tool takes no arguments: send {}.' : `${described}. Correct these and call again.`;
}

/** Describes the parameters: the most likely variant of a union, or all of them if that is unclear and they are few. */
function describeTaken({ variants: all, find, examples }: Takes, args: unknown): string {
  const variants = mergeAlike(all);
  const picked = pickVariant(variants, args);
  const room = variants.some(({ parameters }) => parameters.length > MANY) ? MAX_OF_MANY : MAX_EXPECTATION;
  // Names that the caller tried show its intent.
  const use = { examples, wanted: isPlainObject(args) ? Object.keys(args).slice(0, MOST_KEYS).join(' ') : '' };
  const limited = (variant: Variant, limit: number): string =>
    describeVariant(variant, find, { ...use, limit }) || 'no arguments';
  if (picked?.tag !== undefined) {
    const { name, value, others } = picked.tag;
    const names = others.slice(0, MAX_SHOWN).map((other) => JSON.stringify(other));
    if (others.length > MAX_SHOWN) names.push(`${others.length - MAX_SHOWN} more`);
    const elsewhere = names.length === 0 ? '' : `. ${name} may also be ${names.join(', ')}`;
    return `With ${name} ${JSON.stringify(value)} it takes: ${limited(picked.variant, room)}${elsewhere}`;
  }
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) {
    const text = describeVariant(only, find, { ...use, limit: room });
    return text === '' ? '' : `It takes: ${text}`;
  }
  const shown = [...new Set(variants.map((variant) => `{ ${limited(variant, room)} }`))].join(' or ');
  if (shown.length <= room) return `It takes one of: ${shown}`;
  if (picked !== undefined) {
    return `It takes one of ${variants.length} sets of arguments; the nearest: ${limited(picked.variant, room)}`;
  }
  const each = Math.max(60, Math.floor(room / variants.length) - 8);
  const short = variants.slice(0, MAX_SHOWN).map((variant) => `{ ${limited(variant, each)} }`);
  if (variants.length > MAX_SHOWN) short.push(`${variants.length - MAX_SHOWN} more`);
  return `It takes one of: ${short.join(' or ')}`;
}

/** Merges variants that differ only in required parameters, as groups of arguments do: the fault names the required ones. */
function mergeAlike(variants: readonly Variant[]): readonly Variant[] {
  const [first, ...others] = variants;
  const shapeOf = ({ parameters }: Variant): string =>
    JSON.stringify(parameters.map(({ name, schema }) => [name, schema]));
  if (first === undefined || others.length === 0) return variants;
  const shape = shapeOf(first);
  if (others.some((other) => shapeOf(other) !== shape)) return variants;
  const isRequired = (at: number): boolean => variants.every(({ parameters }) => parameters[at]?.isRequired === true);
  return [
    { ...first, parameters: first.parameters.map((parameter, at) => ({ ...parameter, isRequired: isRequired(at) })) },
  ];
}

/** Matches the start of standard messages of zod, valibot, arktype and others about an unexpected value. */
const STOCK = /^(?:Invalid (?:input|option|type|key|value|discriminator value)\b|Required$)/i;
const SAYS_MISSING = /\bundefined\b|\bmissing\b/i;
const CHOICE = /expected (one of )?("[^"]*"(?:\|(?:"[^"]*"|[\w.-]+))*)/;

/** Returns true for a library's standard message, which says only that a value is not as expected. */
function isStockMessage(message: string): boolean {
  return STOCK.test(message);
}

/** Replaces a library's `expected string, received undefined` with `is required`. Keeps messages that an author wrote. */
function explainMissing(issue: ToolIssue, args: unknown): ToolIssue {
  const { path, message } = issue;
  if (path.length === 0 || message.startsWith('is required') || !isMissing(path, args)) return issue;
  if (!isStockMessage(message) && !SAYS_MISSING.test(message)) return issue;
  const choice = CHOICE.exec(message)?.[2];
  return {
    ...issue,
    message: choice === undefined ? 'is required' : `is required: ${choice.replaceAll('"|"', '" or "')}`,
  };
}

/** Returns true when the object that should contain the value exists and the value does not. */
function isMissing(path: readonly (string | number)[], args: unknown): boolean {
  let holder = args;
  for (const step of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return false;
    // It is an object with this key.
    holder = (holder as Record<string | number, unknown>)[step];
  }
  const last = path.at(-1);
  if (typeof holder !== 'object' || holder === null || last === undefined) return false;
  return !Object.hasOwn(holder, last) || (holder as Record<string | number, unknown>)[last] === undefined;
}
