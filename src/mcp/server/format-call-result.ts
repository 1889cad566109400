import { capForModel } from '../../tool/cap-for-model.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { resultBlocks } from '../../export/result-blocks.ts';

/** What goes with a result. */
interface CallResultOptions {
  /** For tools that promised such data: whole, since clients hold it to the schema they were shown. */
  readonly structured?: unknown;
  /** Whether the client may read what is left out of a long text. */
  readonly readsOutputs: boolean;
}

/** The answer to `tools/call` as JSON; its text is what a model gets of the result. */
export function formatCallResult(given: ToolResult, { structured, readsOutputs }: CallResultOptions): string {
  const result = capForModel(given, readsOutputs ? {} : { keep: undefined });
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
