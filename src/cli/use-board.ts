import { formatDiagnostic } from '../config/diagnostic.ts';
import type { Board, OpenBoardOptions } from '../config/open-board.ts';
import { secretForms } from '../config/secret-forms.ts';
import { createChangeApproval } from './ask-approval.ts';
import { type CliContext, printLine } from './cli-context.ts';
import { findConfig } from './find-config.ts';
import { createStyle } from './style.ts';

/** Opens the board of these files, hands it to the work and closes it, whatever happens. */
export async function useBoard<T>(
  files: readonly string[],
  options: Pick<OpenBoardOptions, 'approve' | 'eager' | 'servers' | 'lock' | 'login' | 'watch'> & {
    readonly context: CliContext;
  },
  work: (board: Board) => T | Promise<T>,
): Promise<T> {
  const { openBoard } = await import('../config/open-board.ts');
  const { context, ...rest } = options;
  const { cwd, env } = context;
  const approveChanges = createChangeApproval(context);
  const asking = approveChanges === undefined ? {} : { approveChanges };
  const board = await openBoard(findConfig(files, cwd), { ...rest, ...asking, cwd, env });
  tellAboutServers(board, context);
  try {
    return await work(board);
  } finally {
    await board.close();
  }
}

/** What keeps tools of other servers off the board: whoever asks for one should know. */
function tellAboutServers({ diagnostics }: Board, { stderr, env }: CliContext): void {
  const style = createStyle(stderr, env);
  for (const diagnostic of diagnostics) {
    const isAboutServers = diagnostic.path[0] === 'mcpServers' || diagnostic.file.endsWith('.lock');
    if (diagnostic.severity !== 'warning' || !isAboutServers) continue;
    printLine(stderr, `${style.yellow('warning')} ${formatDiagnostic({ ...diagnostic, place: undefined })}`);
  }
}

/** Values of a board that must never be shown, also as an address would carry them; the longest first. */
export function secretsOf(board: Pick<Board, 'files'>): string[] {
  return secretForms(board.files.flatMap((file) => file.secrets()));
}
