import type { SubsetOptions, ToolRegistry } from './board/registry/tool-registry.ts';

/** LangChain `StructuredTool`s for a board; every `invoke` goes through its pipeline. */
export function toLangChainTools(
  board: ToolRegistry,
  options?: SubsetOptions,
): ReturnType<ToolRegistry['toLangChainTools']> {
  return board.toLangChainTools(options);
}
