import { isForModels } from '../tool/app-pages.ts';
import { capForModel } from '../tool/cap-for-model.ts';
import { wordsForModel } from '../tool/server-words.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { LangChainTool, Tool } from '../tool/tool.ts';
import { loadPeer } from '../platform/peers/load-peer.ts';
import { coerceInput } from '../tool/schema/coerce-input.ts';
import { describeTool } from './describe-tool.ts';
import { createNameTable, FRAMEWORK_NAMES } from './name-table.ts';
import { blockText, resultBlocks } from './result-blocks.ts';
import type { ToolRunner } from './exporter.ts';

// LangChain's own modules; `loadPeer` cannot know their types.
type LangChainTools = typeof import('@langchain/core/tools');
type LangChainMessages = typeof import('@langchain/core/messages');

interface ToolCallInput {
  readonly type: 'tool_call';
  readonly id?: string;
  readonly args: unknown;
}

interface RunConfig {
  readonly signal?: AbortSignal;
  readonly configurable?: Readonly<Record<string, unknown>>;
  readonly toolCall?: { readonly id?: string };
}

/** Creates a LangChain tool with a name that every provider accepts. */
export function toLangChainTool(tool: Tool, runner: ToolRunner): LangChainTool {
  const { name } = tool.metadata;
  return convert(tool, createNameTable([name], FRAMEWORK_NAMES).toProvider(name) ?? name, runner);
}

export function toLangChainTools(tools: Iterable<Tool>, runner: ToolRunner): LangChainTool[] {
  const list = [...tools].filter(isForModels);
  const names = createNameTable(
    list.map((tool) => tool.metadata.name),
    FRAMEWORK_NAMES,
  );
  return list.map((tool) => convert(tool, names.toProvider(tool.metadata.name) ?? tool.metadata.name, runner));
}

function convert(tool: Tool, name: string, runner: ToolRunner): LangChainTool {
  const langChain = loadPeer('@langchain/core/tools', 'toLangChainTool()') as LangChainTools;
  const words = wordsForModel(tool);
  const structured = new langChain.DynamicStructuredTool({
    name,
    description: describeTool(words.metadata),
    schema: words.inputSchema,
    responseFormat: 'content_and_artifact',
    metadata: tool.metadata.source === undefined ? {} : { source: tool.metadata.source },
    func: async (input: unknown, _manager: unknown, config?: RunConfig) => {
      const result = await run(tool, input, { runner, config });
      return [answer(result, { name, callId: config?.toolCall?.id }), result];
    },
  });
  // LangChain validates the input itself and throws "did not match expected schema". A model needs to know what to change, so the
  // input is checked here first: repaired if nothing is lost, or answered by the pipeline.
  const invoke = structured.invoke.bind(structured);
  const checked = async (input: unknown, config?: RunConfig): Promise<unknown> => {
    const call = isToolCall(input) ? input : undefined;
    const args = call === undefined ? input : call.args;
    const usable = await findUsable(tool, args);
    if (usable !== undefined) {
      return invoke((call === undefined ? usable.args : { ...call, args: usable.args }) as never, config as never);
    }
    const result = await run(tool, args, {
      runner,
      config: { ...config, ...(call === undefined ? {} : { toolCall: call }) },
    });
    if (call === undefined) throw new langChain.ToolInputParsingException(result.text, JSON.stringify(args));
    return answer(result, { name, callId: call.id });
  };
  structured.invoke = checked as typeof structured.invoke;
  return structured;
}

function run(
  tool: Tool,
  args: unknown,
  via: { readonly runner: ToolRunner; readonly config: RunConfig | undefined },
): Promise<ToolResult> {
  const { signal, configurable, toolCall } = via.config ?? {};
  return via.runner.execute(tool, args, { coerce: true, signal, callId: toolCall?.id, context: configurable });
}

/** Converts the result for LangChain: content, or a message with `status: 'error'` for a failed call. */
function answer(whole: ToolResult, call: { readonly name: string; readonly callId: string | undefined }): unknown {
  const result = capForModel(whole);
  if (result.ok) return result.content === undefined ? result.text : resultBlocks(result).map(toContentBlock);
  if (call.callId === undefined) throw result.error;
  const { ToolMessage } = loadPeer('@langchain/core/messages', 'toLangChainTool()') as LangChainMessages;
  return new ToolMessage({
    content: result.text,
    status: 'error',
    name: call.name,
    tool_call_id: call.callId,
    artifact: whole,
  });
}

function toContentBlock(block: NonNullable<ToolResult['content']>[number]): Record<string, unknown> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } };
    default:
      return { type: 'text', text: blockText(block) };
  }
}

/** Returns the arguments if they are valid, else repaired ones that are valid, else nothing. */
async function findUsable(tool: Tool, args: unknown): Promise<{ readonly args: unknown } | undefined> {
  if ((await tool.validate(args)).ok) return { args };
  const repaired = coerceInput(tool.inputSchema, args);
  return repaired !== args && (await tool.validate(repaired)).ok ? { args: repaired } : undefined;
}

function isToolCall(input: unknown): input is ToolCallInput {
  return (
    typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call' && 'args' in input
  );
}
