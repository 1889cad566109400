import type { ToolResult } from '../../core/tool-result.ts';
import { resultBlocks } from '../../export/result-blocks.ts';

/** The answer to `tools/call` as JSON; `structured` is there for tools that promised such data. */
export function formatCallResult(result: ToolResult, structured?: unknown): string {
  const { content, ok, text } = result;
  if (ok && content === undefined && structured === undefined && text !== '') {
    return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
  }
  return JSON.stringify({
    content: resultBlocks(result),
    ...(ok && structured !== undefined ? { structuredContent: structured } : {}),
    ...(ok ? {} : { isError: true }),
  });
}
