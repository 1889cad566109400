import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { DISCOVERY_MARK, isDiscoveryTool } from '../../tool/tool-marks.ts';
import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { ToolError, type ToolIssue } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { awaitArrival } from '../../board/registry/absent-tools.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { isProxyTool, type Pipeline, type ProxyTool } from '../../pipeline/proxy-tool.ts';
import { type DiscoveryTarget, type DiscoveryView, viewFor } from './discovery-view.ts';
import { describeBriefly, writeFitting } from './texts/describe-hit.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { parseArguments } from '../../tool/input-limits.ts';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { counted } from '../../tool/texts/counted.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nearestNames, shortenName } from '../../tool/texts/suggest.ts';

const KEYS = { name: 'name', args: 'arguments' };

/** Creates `call_tool`: a call of it is a call of the tool it names, guarded and counted as that tool. */
export function createCallTool(target: DiscoveryTarget): ProxyTool {
  const tool = defineTool({
    ...DISCOVERY_MARK,
    name: 'call_tool',
    description: 'Call a tool by its name.',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name, as search_tools returns it' },
        arguments: { type: 'object', description: "The tool's arguments, by its signature" },
      },
      required: ['name'],
      additionalProperties: false,
    },
    execute: (input, context) => forward(input, { context, signal: context.signal }),
  });

  async function forward(args: unknown, options: CallOptions, asked?: Pipeline): Promise<ToolResult> {
    const bounds = boundsOf(options.context);
    const view = viewFor(target, bounds);
    // A caller's own tools may belong to another board: they run where their caller's calls run.
    const pipeline = (bounds === undefined ? undefined : asked) ?? target.registry.executor;
    const call = readCall(args, KEYS, pipeline.maxValues);
    if (!call.ok) {
      const named = call.name === undefined ? undefined : view.find(call.name);
      const refusal = pipeline.refuse(new ToolError(explainIssues(tool, call.issues)), options);
      return named === undefined || isProxyTool(named) ? refusal : withSignature(refusal, named);
    }
    const arrival = view.find(call.name) === undefined ? view.arrival(call.name) : undefined;
    const rest = arrival === undefined ? options : await awaitArrival(arrival, call.name, options);
    if (rest instanceof ToolError) return pipeline.refuse(rest, options);
    const called = view.find(call.name);
    if (called === undefined) return pipeline.refuse(await explainUnknown(call.name, view), rest);
    if (isProxyTool(called)) return pipeline.refuse(refuseLoop(call.name), rest);
    // The caller is a model: arguments that can be repaired without loss are repaired.
    const result = await pipeline.execute(called, call.args, { coerce: true, ...rest });
    return !result.ok && result.error.code === 'invalid_arguments' ? withSignature(result, called) : result;
  }

  function targetName(args: unknown): string | undefined {
    const call = readCall(args, KEYS, target.registry.executor.maxValues);
    return call.ok ? call.name : undefined;
  }

  return Object.assign(tool, { forward, targetName });
}

function refuseLoop(name: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `${name} calls other tools, not itself. Give the name of the tool you want.`,
    toolName: name,
    field: 'name',
    reason: 'must be another tool',
  });
}

/** Adds the tool's signature to its error. */
function withSignature(result: ToolResult, tool: Tool): ToolResult {
  if (result.ok) return result;
  const text = `${result.text}\nSignature: ${writeFitting(tool)}`;
  const { error } = result;
  const { code, toolName, field, reason, issues, recoverable, protocol, cause } = error;
  const explained = new ToolError({
    code,
    message: text,
    toolName,
    field,
    reason,
    issues,
    recoverable,
    protocol,
    cause,
  });
  return result.with({ text, error: explained });
}

/** The tool and arguments that a call of `call_tool` asks for, or the issues with it. */
type InnerCall =
  | { readonly ok: true; readonly name: string; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly issues: readonly ToolIssue[]; readonly name?: string };

interface CallKeys {
  readonly name: string;
  readonly args: string;
}

/** The most issues in one answer. */
const MOST_FAULTS = 20;

/** Reads a call as models send it: arguments as an object, as a JSON string, or missing. */
function readCall(given: unknown, keys: CallKeys, values: number): InnerCall {
  const whole = parseText(given, values);
  if (!whole.ok || !isPlainObject(whole.value)) {
    const form = `{"${keys.name}": "…", "${keys.args}": {}}`;
    return refuse([], `must be an object such as ${form}, got ${describeValue(given)}.`);
  }
  const call = whole.value;
  const name = call[keys.name];
  const stray = Object.keys(call)
    .filter((key) => key !== keys.name && key !== keys.args)
    .slice(0, MOST_FAULTS);
  const issues: ToolIssue[] = stray.map((key) => ({
    path: [key],
    message: `is not known here. The tool's arguments belong in "${keys.args}": {"${keys.args}": {"${key.slice(0, 40)}": …}}`,
  }));
  if (name === undefined) issues.unshift({ path: [keys.name], message: 'is required: the name of a tool' });
  else if (typeof name !== 'string' || name.trim() === '')
    issues.unshift({ path: [keys.name], message: `must be the name of a tool; got ${describeValue(name)}` });
  const args = readArguments(call[keys.args], keys.args, values);
  if (typeof name !== 'string' || issues.length > 0 || !args.ok) {
    const named = typeof name === 'string' ? { name: name.trim() } : {};
    return { ok: false, issues: [...issues, ...(args.ok ? [] : args.issues)], ...named };
  }
  return { ok: true, name: name.trim(), args: args.value };
}

function readArguments(
  given: unknown,
  key: string,
  values: number,
):
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly issues: ToolIssue[] } {
  if (given === undefined || given === null) return { ok: true, value: {} };
  const parsed = parseText(given, values);
  if (!parsed.ok)
    return refuse([key], `is text that is not JSON (${parsed.reason}). Send an object such as {"path": "README.md"}`);
  // A model may have encoded its JSON as a string twice.
  const twice = parseText(parsed.value, values);
  if (twice.ok && isPlainObject(twice.value)) return { ok: true, value: twice.value };
  return refuse([key], `must be an object with the tool's arguments by name; got ${describeValue(parsed.value)}`);
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

function parseText(value: unknown, values: number): Parsed {
  if (typeof value !== 'string') return { ok: true, value };
  if (value.trim() === '') return { ok: true, value: {} };
  try {
    return { ok: true, value: parseArguments(value, values) };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function refuse(path: string[], message: string): { readonly ok: false; readonly issues: ToolIssue[] } {
  return { ok: false, issues: [{ path, message }] };
}

const MOST_SUGGESTED = 3;
/** Names compared before other work gets its turn. */
const AT_ONCE = 2_000;
/** Milliseconds to wait for an embedder: the answer to a wrong name should come soon. */
const PATIENCE = 1_000;

/** Creates the error for an unknown name: the nearest tools with their signatures, so that the next call is right. */
export async function explainUnknown(name: string, view: DiscoveryView): Promise<ToolError> {
  const absence = view.explainAbsence?.(name);
  if (absence?.type === 'known') return absence.error;
  const nearest = await suggestTools(name, view);
  const { size } = view.index;
  const hint =
    nearest.length > 0
      ? `Nearest:\n${nearest.map((tool) => describeBriefly(tool)).join('\n')}`
      : size === 0
        ? 'The board has no tools.'
        : `Search the ${counted(size, 'tool')} with search_tools, in words that say what it should do.`;
  const remark = absence === undefined ? '' : `${absence.remark} `;
  const message = `There is no tool ${quote(name)}. ${remark}${hint}`;
  return new ToolError({ code: 'not_found', message, toolName: shortenName(name) });
}

/** Finds tools with similar names; if there are none, tools that do what the words of the name say. */
async function suggestTools(name: string, view: DiscoveryView): Promise<Tool[]> {
  const listed = view.tools().flatMap((tool) => (isDiscoveryTool(tool) ? [] : [tool.metadata.name]));
  let near: string[] = [];
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    // Comparing the names of a large board takes a while, so other work gets its turn.
    if (start > 0) await nextTurn();
    near = nearestNames(name, [...near, ...listed.slice(start, start + AT_ONCE)], MOST_SUGGESTED);
  }
  const names =
    near.length > 0
      ? near
      : (await view.index.find(name.slice(0, 200), { limit: MOST_SUGGESTED, wait: PATIENCE })).hits.map(
          (hit) => hit.name,
        );
  // A tool may have been removed meanwhile.
  return names.flatMap((one) => view.find(one) ?? []);
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
