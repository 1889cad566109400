import { type BoardLike, toBoardParts } from './discovery/board-like.ts';
import type { SubsetOptions, ToolRegistry } from './board/registry/tool-registry.ts';

/** LangChain `StructuredTool`s for a board or a registry; every `invoke` goes through its pipeline. */
export function toLangChainTools(
  board: BoardLike,
  options?: SubsetOptions,
): ReturnType<ToolRegistry['toLangChainTools']> {
  return toBoardParts(board, 'toLangChainTools').registry.toLangChainTools(options);
}
