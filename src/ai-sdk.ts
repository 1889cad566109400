import { type AiToolSet, toToolSet } from './export/ai-sdk.ts';
import { codeToolsFor } from './code/code-tools.ts';
import { type BoardLike, toBoardParts } from './discovery/board-like.ts';
import type { SubsetOptions } from './board/registry/tool-registry.ts';

export type { AiToolSet };

/** Options of `toAiSdkTools`. */
export interface AiSdkOptions extends SubsetOptions {
  /** Gives `search_tools` and `run_code` alone: the model calls all other tools from programs. Default: false. */
  readonly code?: boolean;
  /** Metadata for every call's context; what the AI SDK passes to a tool is added to it. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** An AI SDK `ToolSet` for a board or a registry; every call goes through its pipeline. */
export function toAiSdkTools(board: BoardLike, options: AiSdkOptions = {}): AiToolSet {
  const parts = toBoardParts(board, 'toAiSdkTools');
  const { registry } = parts;
  const chosen = options.only === undefined ? registry.getAll() : registry.only(options.only);
  const tools = options.code === true ? codeToolsFor(parts, options.only) : chosen;
  return toToolSet(tools, registry.executor, options.context);
}
