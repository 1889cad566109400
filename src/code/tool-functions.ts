import { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { type BoardLike, toBoardParts } from '../discovery/board-like.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import { openProgramTools } from './program/program-tools.ts';

/** A tool as a function: a call throws a `ToolError`, `try` returns it. */
export interface ToolFunction {
  (args?: unknown): Promise<unknown>;
  try(
    args?: unknown,
  ): Promise<{ readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: ToolError }>;
}

/**
 * Returns the tools of a board as functions, by the names that programs use. `pegboard emit` writes a module with their types.
 * @example
 * const { git_log } = toolFunctions(board);
 * console.log(await git_log?.({ max_count: 5 }));
 */
export function toolFunctions(board: BoardLike): Readonly<Record<string, ToolFunction>> {
  const { registry, index = ToolIndex.from(registry) } = toBoardParts(board, 'toolFunctions');
  const tools = openProgramTools({ registry, index }, ToolContext.from(undefined));
  const make = (name: string): ToolFunction => {
    const attempt: ToolFunction['try'] = async (args = {}) => {
      const result = await registry.call(tools.look(name)?.metadata.name ?? name, args);
      if (!result.ok) return { ok: false, error: result.error };
      return { ok: true, data: result.data === undefined ? result.text : result.data };
    };
    const call = async (args?: unknown): Promise<unknown> => {
      const result = await attempt(args);
      if (!result.ok) throw result.error;
      return result.data;
    };
    return Object.assign(call, { try: attempt });
  };
  const made = new Map<string, ToolFunction>();
  return new Proxy(Object.create(null) as Record<string, ToolFunction>, {
    get(_, name) {
      // `await` looks up this name.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      const known = made.get(name) ?? make(name);
      made.set(name, known);
      return known;
    },
  });
}
