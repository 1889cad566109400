import type { BoardMode } from '../../load/board-mode.ts';
import { type Diagnostic, formatDiagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { Board, OpenBoardOptions } from '../../board/board.ts';
import { Redactor } from '../../guard/secrets/redactor.ts';
import { createChangeApproval } from '../ask/ask-approval.ts';
import { type CliContext, printLine } from '../cli-context.ts';
import type { ServerWish } from './meet-servers.ts';
import { findConfig } from './find-config.ts';
import { tellWaiting } from './tell-waiting.ts';
import { concerns } from './find-entry.ts';
import { lookMode } from './trust.ts';
import { withholdSecrets } from '../print/gate-output.ts';
import { createStyle } from '../print/style.ts';

/** Warnings with the same words that are printed one by one. */
const MOST_ALIKE = 2;

/** Opens the board of these files, runs the work with it and closes it, also after an error. */
export async function useBoard<T>(
  files: readonly string[],
  options: Pick<OpenBoardOptions, 'approve' | 'elicit' | 'eager' | 'servers' | 'lock' | 'login' | 'watch'> & {
    readonly context: CliContext;
    /** `look` for a command that runs nothing of the board: where nobody trusted its folder, nothing that it names is run. Default: run. */
    readonly mode?: BoardMode;
    /** The one tool that the command is about: warnings about the entries of other tools are not printed. */
    readonly about?: string;
    /** Which servers are asked before the work begins. Default: none. */
    readonly meet?: ServerWish | undefined;
  },
  work: (board: Board) => T | Promise<T>,
): Promise<T> {
  const { openBoard } = await import('../../board/open-board.ts');
  const { context, about, meet, mode = 'run', ...rest } = options;
  const { cwd, env } = context;
  const approveChanges = createChangeApproval(context);
  const asking = approveChanges === undefined ? {} : { approveChanges };
  const named = findConfig(files, context);
  const asked = rest.eager === true ? {} : ({ servers: 'cached' } as const);
  const opening = mode === 'look' ? { ...asked, mode: lookMode(named, context) } : { mode };
  const board = await openBoard(named, { ...rest, ...asking, ...opening, cwd, env });
  for (const output of [context.stdout, context.stderr]) withholdSecrets(output, (text) => board.redact(text));
  const told = new Set<string>();
  const tell = (diagnostics: readonly Diagnostic[]): void => {
    const news = diagnostics.filter((one) => !told.has(formatDiagnostic(one)));
    for (const one of news) told.add(formatDiagnostic(one));
    printWarnings(about === undefined ? news : news.filter((one) => concerns(one, about, board.files)), context);
  };
  // A person who is asked at the terminal sees the question itself.
  const stopTelling =
    rest.approve === undefined ? tellWaiting(board, (text) => printLine(context.stderr, text)) : undefined;
  try {
    if (meet !== undefined) {
      const { meetServers } = await import('./meet-servers.ts');
      await meetServers(board, opening.mode === 'look' ? 'none' : meet, context);
    }
    tell(board.diagnostics);
    // A server that is asked by the first call may have changed since.
    board.on('server-changed', ({ diagnostics }) => tell(diagnostics));
    return await work(board);
  } finally {
    stopTelling?.();
    await board.close();
  }
}

/** How a command that only reads opens a board. */
export function readingWith(
  wait: boolean,
  context: CliContext,
): { readonly context: CliContext; readonly mode: BoardMode; readonly servers: 'cached'; readonly meet: ServerWish } {
  // A person who waits for the servers wants them started.
  return { context, mode: wait ? 'run' : 'look', servers: 'cached', meet: wait ? 'all' : 'seen' };
}

/** Prints the warnings about a board's files, one line each: the user of a tool should know which one it is, and why others are missing. */
export function printWarnings(diagnostics: readonly Diagnostic[], { stderr, env }: CliContext): void {
  const style = createStyle(stderr, env);
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  for (const group of Map.groupBy(warnings, ({ message }) => message).values()) {
    // The same words about many places are read once.
    const shown = group.length > MOST_ALIKE ? group.slice(0, 1) : group;
    for (const diagnostic of shown) {
      const [line = ''] = formatDiagnostic(diagnostic).split('\n', 1);
      // A first line that leads over to others says less than the command that shows them.
      printLine(stderr, `${style.yellow('warning')} ${line.replace(/:$/, '. See more with: pegboard validate')}`);
    }
    if (shown.length < group.length) {
      printLine(stderr, `The same holds for ${group.length - 1} other places. See them with: pegboard validate`);
    }
  }
}

/** The redactor of a board; made from its files alone when the board is not open. */
export function redactorOf(board: Pick<Board, 'executor'> | Pick<Board, 'files'>): Redactor {
  return 'executor' in board ? board.executor.redactor : new Redactor(board.files.flatMap((file) => file.secrets()));
}
