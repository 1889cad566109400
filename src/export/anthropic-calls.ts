import { isPlainObject } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';
import { pairResults } from './pair-results.ts';
import { type CallNames, readCalls } from './read-call.ts';
import { blockText, resultBlocks } from './result-blocks.ts';

/** A piece of a `tool_result`. */
type AnthropicResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
    };

/** The answer to one call. */
interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly AnthropicResultBlock[];
  readonly is_error?: true;
}

/** The answers to all calls of one turn, as the next user message. */
export interface AnthropicToolMessage {
  readonly role: 'user';
  readonly content: readonly AnthropicToolResult[];
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/**
 * Reads the `tool_use` blocks of a message or of its content. Pass what `toAnthropicTools` gave to get names and
 * arguments mapped back. Never throws; gives `[]` for anything else.
 */
export function parseAnthropicCalls(message: unknown, exported?: CallNames): ToolCall[] {
  const content = isPlainObject(message) ? message['content'] : message;
  const blocks = Array.isArray(content) ? content.filter(isPlainObject) : [];
  const calls = blocks.filter((block) => block['type'] === 'tool_use');
  return readCalls(
    calls.map((block) => ({ id: block['id'], name: block['name'], args: block['input'] })),
    exported,
  );
}

/** One user message with a `tool_result` per call, in call order. */
export function toAnthropicToolMessage(
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): AnthropicToolMessage {
  return { role: 'user', content: pairResults(calls, results).map(([call, result]) => toolResult(call.id, result)) };
}

function toolResult(id: string, result: ToolResult): AnthropicToolResult {
  const answer = { type: 'tool_result', tool_use_id: id, content: resultContent(result) } as const;
  return result.ok ? answer : { ...answer, is_error: true };
}

function resultContent(result: ToolResult): string | AnthropicResultBlock[] {
  const blocks = resultBlocks(result).map(toBlock);
  const [first] = blocks;
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
}

function toBlock(block: ToolContent): AnthropicResultBlock {
  if (block.type !== 'image' || !IMAGES.has(block.mimeType)) return { type: 'text', text: blockText(block) };
  return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
}
