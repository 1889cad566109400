import { parseArguments } from '../../tool/input-limits.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { toToolError } from '../../pipeline/to-tool-error.ts';
import type { Pipeline } from '../../pipeline/proxy-tool.ts';
import { outputsFor, type OutputStore } from '../../platform/outputs/output-store.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import { findGroups } from '../../discovery/meta-tools/find-groups.ts';
import type { SandboxCall } from '../sandbox/sandbox-messages.ts';
import { declareTool } from '../types/declare-tools.ts';
import type { ProgramTools } from './program-tools.ts';

/** The parts that answer a program's calls. */
export interface ProgramHost {
  readonly pipeline: Pick<Pipeline, 'execute' | 'refuse' | 'maxValues'>;
  readonly tools: ProgramTools;
  readonly outputs: OutputStore | undefined;
  /** The context of the call that runs the program: its calls are made for the same caller and recorded below it. */
  readonly context: ToolContext;
  readonly signal: AbortSignal;
  /** Learns from the result of a tool without an output schema. */
  readonly learn?: ((tool: string, value: unknown) => void) | undefined;
  /** Returns further options for a call. */
  readonly optionsFor?: ((call: SandboxCall, tool: Tool) => CallOptions) | undefined;
  /** The most characters of an answer. */
  readonly maxAnswer: number;
}

/** An answer without its time. */
export interface CallAnswer {
  readonly ok: boolean;
  /** JSON of the value or the error. */
  readonly value: string;
  readonly error?: ToolError | undefined;
  /** The name of the called tool, if it exists. */
  readonly tool?: string | undefined;
}

const MOST_HITS = 50;

/** Answers a call of a program. Never rejects. */
export async function answerCall(call: SandboxCall, host: ProgramHost): Promise<CallAnswer> {
  const tool = call.kind === 'tool' ? (host.tools.look(call.name)?.metadata.name ?? call.name) : undefined;
  try {
    const value = await answer(call, host);
    const text = value === undefined ? '' : (JSON.stringify(value) ?? '');
    if (text.length > host.maxAnswer) throw tooLarge(call.name, text.length);
    return { ok: true, value: text, tool };
  } catch (thrown) {
    const error = toToolError(thrown, call.name);
    return { ok: false, value: JSON.stringify(toFault(error)), error, tool };
  }
}

async function answer(call: SandboxCall, host: ProgramHost): Promise<unknown> {
  // Written by the prelude with the engine's own JSON.
  const args = readArguments(call, host);
  if (call.kind === 'tool') return callTool(call, args, host);
  const given = isPlainObject(args) ? args : {};
  switch (call.kind) {
    case 'search':
      return search(given, host);
    case 'describe':
      return describe(given, host);
    case 'read':
      return readOutput(given, host);
    case 'sleep':
      return sleep(given, host);
  }
}

function readArguments({ name, args }: SandboxCall, { pipeline }: ProgramHost): unknown {
  try {
    return parseArguments(args, pipeline.maxValues);
  } catch (error) {
    const message = `The arguments of "${name}" cannot be taken: ${messageOf(error)}`;
    throw new ToolError({ code: 'invalid_arguments', message, toolName: name });
  }
}

async function callTool(call: SandboxCall, args: unknown, host: ProgramHost): Promise<unknown> {
  const { pipeline, tools, context, signal } = host;
  const tool = await unlessAborted(tools.find(call.name), signal);
  // The caller is a model, so arguments that can be repaired without loss are.
  const asked: CallOptions = { context, signal, coerce: true };
  if (tool instanceof ToolError) throw failureOf(pipeline.refuse(tool, asked));
  const result = await pipeline.execute(tool, args, { ...asked, ...host.optionsFor?.(call, tool) });
  if (!result.ok) throw result.error;
  const value = await valueOf(result, host);
  if (tool.outputSchema === undefined) host.learn?.(tool.metadata.name, value);
  return value;
}

function failureOf(result: ToolResult): ToolError {
  return result.ok ? new ToolError({ code: 'execution_failed', message: result.text }) : result.error;
}

/** Returns the value a program gets for a result: its data, or else its whole text; images and files beside the text. */
async function valueOf(result: ToolResult, host: ProgramHost): Promise<unknown> {
  const { data, text, content = [], meta } = result;
  if (data !== undefined) return data;
  const id = meta.truncated?.id;
  const whole = id === undefined ? text : ((await readWhole(id, host)) ?? text);
  return content.some(({ type }) => type !== 'text') ? { text: whole, content } : whole;
}

async function search(given: Readonly<Record<string, unknown>>, { tools, signal }: ProgramHost): Promise<unknown> {
  const { query, limit } = given;
  if (typeof query !== 'string' || query.trim() === '')
    throw new ToolError({
      code: 'invalid_arguments',
      message: 'search takes a text: await search("send mail").',
      field: 'query',
    });
  const most = typeof limit === 'number' && limit >= 1 ? Math.min(MOST_HITS, Math.floor(limit)) : 10;
  const [group] = await findGroups(tools.view.index, [query], { limit: most, offset: 0, signal });
  return (group?.tools ?? []).map(({ tool }) => ({
    name: tool.metadata.name,
    signature: declareTool(tool, tools.identifierOf(tool)),
    description: wordsForModel(tool).metadata.description,
  }));
}

async function describe(given: Readonly<Record<string, unknown>>, { tools, signal }: ProgramHost): Promise<unknown> {
  const { name } = given;
  if (typeof name !== 'string')
    throw new ToolError({
      code: 'invalid_arguments',
      message: 'describe takes the name of a tool: await describe("git_log").',
      field: 'name',
    });
  const tool = await unlessAborted(tools.find(name), signal);
  if (tool instanceof ToolError) throw tool;
  const { description, risk } = wordsForModel(tool).metadata;
  const { inputSchema, outputSchema } = tool;
  return {
    name: tool.metadata.name,
    signature: declareTool(tool, tools.identifierOf(tool)),
    description,
    risk,
    inputSchema,
    outputSchema,
  };
}

async function readOutput(given: Readonly<Record<string, unknown>>, host: ProgramHost): Promise<unknown> {
  const { id } = given;
  if (typeof id !== 'string')
    throw new ToolError({ code: 'invalid_arguments', message: 'outputs.read takes the id of an output.', field: 'id' });
  const text = await readWhole(id, host);
  if (text !== undefined) return text;
  const message = `There is no output "${id}" of yours. Outputs are kept for an hour: call the tool again.`;
  throw new ToolError({ code: 'not_found', message, field: 'id' });
}

/** Reads a stored output of the caller, up to the size that a program can take. */
async function readWhole(
  id: string,
  { outputs, context, maxAnswer, signal }: ProgramHost,
): Promise<string | undefined> {
  const found = outputs === undefined ? undefined : outputsFor(context, outputs).open(id);
  if (found === undefined) return undefined;
  if (found.size > maxAnswer) throw tooLarge(`output ${id}`, found.size);
  const parts: Buffer[] = [];
  // A file stream yields bytes.
  for await (const part of found.stream() as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function sleep(given: Readonly<Record<string, unknown>>, { signal }: ProgramHost): Promise<undefined> {
  const { milliseconds } = given;
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0) || milliseconds > 86_400_000)
    throw new ToolError({
      code: 'invalid_arguments',
      message: 'sleep takes milliseconds: await sleep(500).',
      field: 'milliseconds',
    });
  const done = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => done.resolve(undefined), milliseconds);
  return unlessAborted(done.promise, signal).finally(() => clearTimeout(timer));
}

/** Converts an error to the object that a program catches. */
export function toFault({ code, message, toolName, issues, recoverable }: ToolError): Record<string, unknown> {
  return { code, message, tool: toolName, issues, recoverable };
}

function tooLarge(name: string, size: number): ToolError {
  const message = `The answer of ${name} has ${size.toLocaleString('en-US')} characters, more than the memory of a program. Ask for less.`;
  return new ToolError({ code: 'output_too_large', message, toolName: name });
}
