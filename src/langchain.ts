import { codeToolsFor } from './code/code-tools.ts';
import { type BoardLike, toBoardParts } from './discovery/board-like.ts';
import type { SubsetOptions } from './board/registry/tool-registry.ts';
import type { LangChainTool } from './tool/tool.ts';

export type { LangChainTool };

/** Options of `toLangChainTools`. */
export interface LangChainOptions extends SubsetOptions {
  /** Gives `search_tools` and `run_code` alone: the model calls all other tools from programs. Default: false. */
  readonly code?: boolean;
}

/** LangChain `StructuredTool`s for a board or a registry; every `invoke` goes through its pipeline. */
export function toLangChainTools(board: BoardLike, options: LangChainOptions = {}): LangChainTool[] {
  const parts = toBoardParts(board, 'toLangChainTools');
  const { code = false, ...subset } = options;
  if (!code) return parts.registry.toLangChainTools(subset);
  return codeToolsFor(parts, subset.only).map((tool) => tool.toLangChainTool());
}
