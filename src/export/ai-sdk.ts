import { isForModels } from '../tool/app-pages.ts';
import { capForModel } from '../tool/cap-for-model.ts';
import type { Installed, Tool } from '../tool/tool.ts';
import { isPlainObject } from '../tool/json.ts';
import { wordsForModel } from '../tool/server-words.ts';
import { type ModelOutput, type ToolContent, ToolResult } from '../tool/tool-result.ts';
import { loadPeer } from '../platform/peers/load-peer.ts';
import { describeTool } from './describe-tool.ts';
import { createNameTable, FRAMEWORK_NAMES } from './name-table.ts';
import { blockText, resultBlocks } from './result-blocks.ts';
import type { ToolRunner } from './exporter.ts';
/** @ts-ignore optional peer */
import type * as ai from 'ai';

/** Tools of the AI SDK: its own `ToolSet` if it is installed. */
export type AiToolSet = Installed<ai.ToolSet, Record<string, unknown>>;

type ToolResultOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: never };

// The AI SDK's own module; `loadPeer` cannot know its types.
type AiSdk = typeof import('ai');

interface ExecutionOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal;
  readonly context?: unknown;
}

/** Returns a `ToolSet` for `generateText`, `streamText` and agents; every call goes through the runner's pipeline. */
export function toToolSet(
  tools: Iterable<Tool>,
  runner: ToolRunner,
  context?: Readonly<Record<string, unknown>>,
): AiToolSet {
  const list = [...tools].filter(isForModels);
  const names = createNameTable(
    list.map((tool) => tool.metadata.name),
    FRAMEWORK_NAMES,
  );
  const entries = list.map((tool) => [
    names.toProvider(tool.metadata.name) ?? tool.metadata.name,
    convert(tool, runner, context),
  ]);
  return Object.fromEntries(entries);
}

/** Returns a tool without `execute`, for a loop that runs the calls itself. */
export function toDeclaredTool(tool: Tool): AiToolSet[string] {
  const { tool: defineTool, jsonSchema } = loadPeer('ai', 'An agent') as AiSdk;
  const words = wordsForModel(tool);
  return defineTool({
    description: describeTool(words.metadata),
    // Not validated here: the pipeline's answer to invalid arguments tells the model what to change.
    inputSchema: jsonSchema(words.inputSchema),
  });
}

export function toResultOutput(given: ToolResult): ToolResultOutput {
  const result = capForModel(given);
  if (!result.ok) return { type: 'error-text', value: result.text };
  if (result.content === undefined) return { type: 'text', value: result.text };
  // These are the shapes of the SDK's own types.
  return { type: 'content', value: resultBlocks(result).map(toContentPart) as never };
}

function convert(tool: Tool, runner: ToolRunner, context: Readonly<Record<string, unknown>> = {}): AiToolSet[string] {
  const { tool: defineTool, jsonSchema } = loadPeer('ai', 'toAiSdkTools()') as AiSdk;
  const words = wordsForModel(tool);
  return defineTool({
    description: describeTool(words.metadata),
    inputSchema: jsonSchema(words.inputSchema),
    execute: async (input: unknown, options: ExecutionOptions) => {
      const result = await runner.execute(tool, input, {
        coerce: true,
        signal: options.abortSignal,
        callId: options.toolCallId,
        context: isPlainObject(options.context) ? { ...context, ...options.context } : context,
      });
      if (!result.ok) throw result.error;
      return toOutput(result);
    },
    // These are the shapes of the SDK's own types.
    toModelOutput: ({ output }: { output: unknown }) => toModelOutput(output) as never,
  });
}

const contentKey = Symbol.for('pegboard.content');

/** The model's view of data returned to code, and the output already made of it: stored once, however often the SDK asks. */
const modelOutputs = new WeakMap<object, { readonly modelOutput?: ModelOutput | undefined; output?: unknown }>();

/** Code gets data if there is any, otherwise text; images are attached for the model. */
function toOutput(result: ToolResult): unknown {
  const { data } = result;
  if (result.content !== undefined) {
    return Object.defineProperty({ text: result.text }, contentKey, { value: resultBlocks(result) });
  }
  // Text goes unchanged to the model and into the history.
  if (data === undefined) return capForModel(result).text;
  if (typeof data === 'object' && data !== null) modelOutputs.set(data, { modelOutput: result.modelOutput });
  return data;
}

function toModelOutput(output: unknown): unknown {
  if (typeof output === 'string') return { type: 'text', value: output };
  if (typeof output !== 'object' || output === null) return { type: 'json', value: output ?? null };
  if (contentKey in output) {
    return { type: 'content', value: (output[contentKey] as ToolContent[]).map(toContentPart) };
  }
  const known = modelOutputs.get(output) ?? {};
  modelOutputs.set(output, known);
  return (known.output ??= toDataOutput(output, known.modelOutput));
}

/** Returns data as JSON, or as text if that is too long. */
function toDataOutput(data: object, modelOutput: ModelOutput | undefined): unknown {
  const json = ToolResult.from({ text: JSON.stringify(data), data, modelOutput });
  const capped = capForModel(json);
  return capped === json ? { type: 'json', value: data } : { type: 'text', value: capped.text };
}

function toContentPart(block: ToolContent): Record<string, unknown> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: 'file', data: { type: 'data', data: block.data }, mediaType: block.mimeType };
    default:
      return { type: 'text', text: blockText(block) };
  }
}
