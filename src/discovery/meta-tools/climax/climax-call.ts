import { isPlainObject, type JsonSchema } from '../../../tool/json.ts';
import { DISCOVERY_MARK, isDiscoveryTool, isHelperTool } from '../../../tool/tool-marks.ts';
import { boundsOf } from '../../../tool/calls/call-bounds.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import type { Tool } from '../../../tool/tool.ts';
import { defineTool } from '../../../tool/define/define-tool.ts';
import { arrivalFor, awaitArrival } from '../../../board/registry/absent-tools.ts';
import type { CallOptions } from '../../../pipeline/call-options.ts';
import { isProxyTool, type Pipeline, type ProxyTool } from '../../../pipeline/proxy-tool.ts';
import { readInputSchema } from '../../indexed-tool.ts';
import type { DiscoveryTarget } from '../discovery-view.ts';

/** Creates `climax_call` with CLImax's request and messages; the call itself is the named tool's, as with `call_tool`. */
export function createClimaxCall({ registry }: Pick<DiscoveryTarget, 'registry'>): ProxyTool {
  const tool = defineTool({
    ...DISCOVERY_MARK,
    name: 'climax_call',
    description:
      'Execute a CLI tool by name. Use climax_search first to discover available tools and their argument schemas.',
    schema: {
      type: 'object',
      properties: {
        tool_name: {
          type: 'string',
          description: 'The exact name of the tool to execute (as returned by climax_search)',
        },
        args: {
          type: 'object',
          description: "Arguments to pass to the tool (see tool's input_schema from climax_search)",
        },
      },
      required: ['tool_name'],
    },
    execute: (input, context) => forward(input, { context, signal: context.signal }),
  });

  async function forward(given: unknown, options: CallOptions, asked?: Pipeline): Promise<ToolResult> {
    const bounds = boundsOf(options.context);
    // As with `call_tool`: a caller's own tools run where its calls run.
    const pipeline = (bounds === undefined ? undefined : asked) ?? registry.executor;
    const refuse = (code: 'invalid_arguments' | 'not_found', message: string, toolName: string): ToolResult =>
      pipeline.refuse(new ToolError({ code, message, toolName }), options);
    const call = isPlainObject(given) ? given : {};
    const name = targetName(given);
    if (name === undefined) return refuse('invalid_arguments', "Missing required argument 'tool_name'", 'climax_call');
    const find = (): Tool | undefined => (bounds === undefined ? registry.get(name) : bounds.find(name));
    const arrival = find() === undefined ? arrivalFor(registry, name, options.context) : undefined;
    const rest = arrival === undefined ? options : await awaitArrival(arrival, name, options);
    if (rest instanceof ToolError) return pipeline.refuse(rest, options);
    const target = find();
    if (target === undefined || isProxyTool(target))
      return refuse('not_found', unknownToolMessage(name, bounds?.tools() ?? registry.getAll()), name);
    const args = isPlainObject(call['args']) ? call['args'] : {};
    const checked = readClimaxArguments(args, readInputSchema(target));
    if (checked.errors.length > 0) {
      const lines = checked.errors.map((error) => `  - ${error}`);
      return refuse('invalid_arguments', ['Argument validation failed:', ...lines].join('\n'), name);
    }
    return pipeline.execute(target, checked.args, rest);
  }

  function targetName(given: unknown): string | undefined {
    const name = isPlainObject(given) ? given['tool_name'] : undefined;
    return typeof name === 'string' ? name : undefined;
  }

  return Object.assign(tool, { forward, targetName });
}

function unknownToolMessage(name: string, tools: readonly Tool[]): string {
  const listed = tools.filter((other) => !isDiscoveryTool(other) && !isHelperTool(other));
  const names = listed.map(({ metadata }) => metadata.name).toSorted();
  return `Unknown tool: ${name}. Available tools: ${names.join(', ')}`;
}

/** Arguments as CLImax would pass them on, with its error messages. */
interface ClimaxArguments {
  readonly args: Record<string, unknown>;
  readonly errors: readonly string[];
}

/** Checks arguments by CLImax's rules and with its messages: required ones, types repaired, enums; unknown keys are dropped. */
function readClimaxArguments(given: Readonly<Record<string, unknown>>, schema: JsonSchema): ClimaxArguments {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const errors = required
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => `Missing required argument '${name}'`);
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isPlainObject(property)) {
      if (schema['additionalProperties'] !== false) args[name] = value;
      continue;
    }
    const converted = convert(value, property['type']);
    if (converted === undefined) {
      errors.push(`Argument '${name}': cannot convert '${toText(value)}' to ${String(property['type'])}`);
      continue;
    }
    const { enum: values } = property;
    if (Array.isArray(values) && !values.map(String).includes(toText(converted)))
      errors.push(`Argument '${name}' must be one of: ${values.join(', ')}`);
    args[name] = converted;
  }
  return { args, errors };
}

/** Converts a value to a type. Returns `undefined` if that is impossible. */
function convert(value: unknown, type: unknown): unknown {
  switch (type) {
    case 'boolean':
      return toBoolean(value);
    case 'integer':
      return toNumber(value, /^\s*[+-]?\d+\s*$/, Math.trunc);
    case 'number':
      return toNumber(value, /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i, (number) => number);
    case 'string':
      return toText(value);
    default:
      return value;
  }
}

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return value !== 0;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function toNumber(value: unknown, form: RegExp, round: (number: number) => number): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? round(value) : undefined;
  return typeof value === 'string' && form.test(value) ? Number(value) : undefined;
}

/** Formats a value like Python, as CLImax's messages and commands do. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
