import { isPlainObject } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { pairResults } from './pair-results.ts';
import { type CallNames, type RawCall, readCalls } from './read-call.ts';
import { resultText } from './result-blocks.ts';

/** The answer to one call in the Chat Completions API. */
export interface OpenAIToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** The answer to one call in the Responses API. */
export interface OpenAIToolOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/**
 * Reads the tool calls out of a chat completion, a message, a list of tool calls, a Responses API response or its
 * output. Pass what `toOpenAITools` gave to get names and arguments mapped back. Never throws; gives `[]` for anything else.
 */
export function parseOpenAICalls(response: unknown, exported?: CallNames): ToolCall[] {
  return readCalls(findItems(response).flatMap(rawCall), exported);
}

/** One `tool` message per call, in call order. Images become a note: tool messages carry text only. */
export function toOpenAIToolMessages(calls: readonly ToolCall[], results: readonly ToolResult[]): OpenAIToolMessage[] {
  return pairResults(calls, results).map(([call, result]) => ({
    role: 'tool',
    tool_call_id: call.id,
    content: resultText(result),
  }));
}

/** One `function_call_output` item per call, in call order, for the Responses API. */
export function toOpenAIToolOutputs(calls: readonly ToolCall[], results: readonly ToolResult[]): OpenAIToolOutput[] {
  return pairResults(calls, results).map(([call, result]) => ({
    type: 'function_call_output',
    call_id: call.id,
    output: resultText(result),
  }));
}

function findItems(response: unknown): unknown[] {
  if (Array.isArray(response)) return response;
  if (!isPlainObject(response)) return [];
  if (Array.isArray(response['choices'])) return findItems(response['choices'][0]);
  if (isPlainObject(response['message'])) return findItems(response['message']);
  const list = response['tool_calls'] ?? response['output'];
  return Array.isArray(list) ? list : [];
}

function rawCall(item: unknown): RawCall[] {
  if (!isPlainObject(item)) return [];
  if (item['type'] === 'function_call') {
    return [{ id: item['call_id'] ?? item['id'], name: item['name'], args: item['arguments'] }];
  }
  const called = item['function'];
  return isPlainObject(called) ? [{ id: item['id'], name: called['name'], args: called['arguments'] }] : [];
}
