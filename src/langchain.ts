import { type BoardLike, toBoardParts } from './discovery/board-like.ts';
import type { SubsetOptions } from './board/registry/tool-registry.ts';
import type { LangChainTool } from './tool/tool.ts';

export type { LangChainTool };

/** LangChain `StructuredTool`s for a board or a registry; every `invoke` goes through its pipeline. */
export function toLangChainTools(board: BoardLike, options?: SubsetOptions): LangChainTool[] {
  return toBoardParts(board, 'toLangChainTools').registry.toLangChainTools(options);
}
