import { isPlainObject } from '../tool/json.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';
import { type CallNames, readCalls } from './read-call.ts';
import { resultBlocks } from './result-blocks.ts';

/** The answer to `tools/call`. */
export interface McpCallResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** Reads the params of `tools/call`; missing arguments are `{}`. Never throws; gives `undefined` for anything else. */
export function parseMcpCall(params: unknown, exported?: CallNames): ToolCall | undefined {
  if (!isPlainObject(params) || typeof params['name'] !== 'string') return undefined;
  return readCalls([{ id: undefined, name: params['name'], args: params['arguments'] }], exported)[0];
}

/** A result as the answer to `tools/call`: its pieces, and its data where that is an object. */
export function toMcpCallResult(result: ToolResult): McpCallResult {
  const data = result.ok && result.meta.asText !== true ? result.data : undefined;
  return {
    content: resultBlocks(result),
    ...(isPlainObject(data) ? { structuredContent: data } : {}),
    isError: !result.ok,
  };
}
