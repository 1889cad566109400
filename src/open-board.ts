import type { Board } from './board/board.ts';
import type { OpenBoardOptions } from './board/open-board-options.ts';

/** Options of `openBoard`, with the board's files among them. */
export interface BoardOptions extends OpenBoardOptions {
  /** Config files, folders or globs; later ones win. Default: none. */
  readonly files?: string | readonly string[];
}

/**
 * Opens a board of config files, folders or globs, and of tools and settings given in code, with or without files.
 * Throws a `ConfigError` that shows every fault.
 *
 * What reads YAML, starts commands and sends requests is loaded by the first call, not by importing Pegboard.
 *
 * @example
 * ```ts
 * const board = await openBoard('pegboard.yaml');
 * const other = await openBoard({
 *   tools: [defineTool({ name: 'ping', description: 'Says pong.', schema: z.object({}), execute: () => 'pong' })],
 *   policy: { approval: { global: 'write' } },
 *   approve: ({ message }) => message.includes('ping'),
 * });
 * ```
 */
export async function openBoard(files: string | readonly string[], options?: OpenBoardOptions): Promise<Board>;
export async function openBoard(options: BoardOptions): Promise<Board>;
export async function openBoard(
  given: string | readonly string[] | BoardOptions,
  options?: OpenBoardOptions,
): Promise<Board> {
  const board = await import('./board/open-board.ts');
  if (typeof given === 'string' || isList(given)) return board.openBoard(given, options);
  const { files, ...others } = given;
  return board.openBoard(files, others);
}

function isList(given: readonly string[] | BoardOptions): given is readonly string[] {
  return Array.isArray(given);
}
