import { toToolSet } from './export/ai-sdk.ts';
import type { SubsetOptions, ToolRegistry } from './board/registry/tool-registry.ts';

/** What `toAiSdkTools` takes besides the board. */
export interface AiSdkOptions extends SubsetOptions {
  /** Metadata for every call's context; what the AI SDK passes to a tool is added to it. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** An AI SDK `ToolSet` for a board; every call goes through its pipeline. */
export function toAiSdkTools(board: ToolRegistry, options: AiSdkOptions = {}): ReturnType<typeof toToolSet> {
  const tools = options.only === undefined ? board.getAll() : board.only(options.only);
  return toToolSet(tools, board.executor, options.context);
}
