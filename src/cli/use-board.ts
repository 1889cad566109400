import type { Board, OpenBoardOptions } from '../config/open-board.ts';
import { secretForms } from '../config/secret-forms.ts';
import type { CliContext } from './cli-context.ts';
import { findConfig } from './find-config.ts';

/** Opens the board of these files, hands it to the work and closes it, whatever happens. */
export async function useBoard<T>(
  files: readonly string[],
  options: Pick<OpenBoardOptions, 'approve'> & { readonly context: CliContext },
  work: (board: Board) => T | Promise<T>,
): Promise<T> {
  const { openBoard } = await import('../config/open-board.ts');
  const { context, ...rest } = options;
  const { cwd, env } = context;
  const board = await openBoard(findConfig(files, cwd), { ...rest, cwd, env });
  try {
    return await work(board);
  } finally {
    await board.close();
  }
}

/** Values of a board that must never be shown, also as an address would carry them; the longest first. */
export function secretsOf(board: Pick<Board, 'files'>): string[] {
  return secretForms(board.files.flatMap((file) => file.secrets()));
}
