import { type AiToolSet, toToolSet } from './export/ai-sdk.ts';
import { type BoardLike, toBoardParts } from './discovery/board-like.ts';
import type { SubsetOptions } from './board/registry/tool-registry.ts';

export type { AiToolSet };

/** What `toAiSdkTools` takes besides the board. */
export interface AiSdkOptions extends SubsetOptions {
  /** Metadata for every call's context; what the AI SDK passes to a tool is added to it. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** An AI SDK `ToolSet` for a board or a registry; every call goes through its pipeline. */
export function toAiSdkTools(board: BoardLike, options: AiSdkOptions = {}): AiToolSet {
  const { registry } = toBoardParts(board, 'toAiSdkTools');
  const tools = options.only === undefined ? registry.getAll() : registry.only(options.only);
  return toToolSet(tools, registry.executor, options.context);
}
