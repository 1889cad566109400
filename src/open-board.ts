import type { Board, OpenBoardOptions } from './board/open-board.ts';

/**
 * Opens config files, folders or globs as a board. Throws a `ConfigError` that shows every fault in them.
 *
 * What reads YAML, starts commands and sends requests is loaded by the first call, not by importing Pegboard.
 */
export async function openBoard(files: string | readonly string[], options?: OpenBoardOptions): Promise<Board> {
  const board = await import('./board/open-board.ts');
  return board.openBoard(files, options);
}
