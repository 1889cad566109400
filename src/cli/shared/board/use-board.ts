import type { OpenBoardOptions } from '../../../board/open-board-options.ts';
import type { BoardMode } from '../../../load/board-mode.ts';
import type { ServerWish } from './meet-servers.ts';
import { type Diagnostic, formatDiagnostic } from '../../../load/diagnostics/diagnostic.ts';
import type { Board } from '../../../board/board.ts';
import { Redactor } from '../../../guard/secrets/redactor.ts';
import { createChangeApproval } from '../ask/ask-approval.ts';
import { type CliContext, printLine } from '../cli-context.ts';
import { findConfig } from './find-config.ts';
import { tellWaiting } from './tell-waiting.ts';
import { concerns } from './find-entry.ts';
import { lookMode } from './trust.ts';
import { withholdSecrets } from '../print/gate-output.ts';
import { createStyle } from '../print/style.ts';

/** The number of warnings with the same text that are printed one by one. */
const MOST_ALIKE = 2;

/** The way in which a command opens its board. */
export interface BoardUse extends Pick<
  OpenBoardOptions,
  'approve' | 'elicit' | 'eager' | 'servers' | 'lock' | 'login' | 'watch'
> {
  /** The config files. Default: the files of the arguments, if these are files, and those of `--file`. */
  readonly files?: readonly string[];
  /** `look` for a read-only command: in an untrusted folder it runs nothing that the config names. Default: run. */
  readonly mode?: BoardMode;
  /** The tool that the command is about: warnings about entries of other tools are not printed. */
  readonly about?: string;
  /** The servers to ask before the work begins. Default: none. */
  readonly meet?: ServerWish | undefined;
}

/** Opens the board of these files, runs the work and closes the board, also after an error. */
export async function useBoard<T>(
  files: readonly string[],
  options: Omit<BoardUse, 'files'> & { readonly context: CliContext },
  work: (board: Board) => T | Promise<T>,
): Promise<T> {
  const { context, about, meet, ...rest } = options;
  const { board, mode } = await takeBoard(findConfig(files, context), { ...rest, context });
  for (const output of [context.stdout, context.stderr]) withholdSecrets(output, (text) => board.redact(text));
  const printed = new Set<string>();
  const printNew = (diagnostics: readonly Diagnostic[]): void => {
    const news = diagnostics.filter((one) => !printed.has(formatDiagnostic(one)));
    for (const one of news) printed.add(formatDiagnostic(one));
    printWarnings(about === undefined ? news : news.filter((one) => concerns(one, about, board.files)), context);
  };
  // At a terminal, the person sees the question itself.
  const stopTelling =
    rest.approve === undefined ? tellWaiting(board, (text) => printLine(context.stderr, text)) : undefined;
  try {
    if (meet !== undefined) {
      const { meetServers } = await import('./meet-servers.ts');
      await meetServers(board, mode === 'look' ? 'none' : meet, context);
    }
    printNew(board.diagnostics);
    // A server that is first asked by a call may have changed since.
    board.on('server-changed', ({ diagnostics }) => printNew(diagnostics));
    return await work(board);
  } finally {
    stopTelling?.();
    await board.close();
  }
}

type Opening = Omit<BoardUse, 'files' | 'about' | 'meet'> & { readonly context: CliContext };

/** Opens a board, or takes the one that runs in this process. */
async function takeBoard(
  named: readonly string[],
  { context, mode = 'run', ...rest }: Opening,
): Promise<{ readonly board: Board; readonly mode: BoardMode }> {
  const { cwd, env, running } = context;
  if (running !== undefined) {
    const { lendBoard } = await import('./lend-board.ts');
    return { board: lendBoard(running, { named, cwd, approve: rest.approve }), mode: 'run' };
  }
  const { openBoard } = await import('../../../board/open-board.ts');
  const approveChanges = createChangeApproval(context);
  const asking = approveChanges === undefined ? {} : { approveChanges };
  const asked = rest.eager === true ? {} : ({ servers: 'cached' } as const);
  const opening = mode === 'look' ? { ...asked, mode: lookMode(named, context) } : { mode };
  const board = await openBoard(named, { ...rest, ...asking, ...opening, cwd, env });
  return { board, mode: opening.mode };
}

/** Tells how a read-only command opens its board: it starts servers only where `--wait` asks for them. */
export function readingBoard({ values: { wait } }: { readonly values: { readonly wait: boolean } }): BoardUse {
  return { mode: wait ? 'run' : 'look', servers: 'cached', meet: wait ? 'all' : 'seen' };
}

/** Prints the warnings about a board's files, one line each. */
export function printWarnings(diagnostics: readonly Diagnostic[], { stderr, env }: CliContext): void {
  const style = createStyle(stderr, env);
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  for (const group of Map.groupBy(warnings, ({ message }) => message).values()) {
    // Prints a repeated text once.
    const shown = group.length > MOST_ALIKE ? group.slice(0, 1) : group;
    for (const diagnostic of shown) {
      const [line = ''] = formatDiagnostic(diagnostic).split('\n', 1);
      // A first line that ends with a colon introduces others: the command that shows them says more.
      printLine(stderr, `${style.yellow('warning')} ${line.replace(/:$/, '. See more with: pegboard validate')}`);
    }
    if (shown.length < group.length) {
      printLine(stderr, `The same applies to ${group.length - 1} other places. See them with: pegboard validate`);
    }
  }
}

/** Returns the redactor of an open board, or makes one from its files. */
export function redactorOf(board: Pick<Board, 'executor'> | Pick<Board, 'files'>): Redactor {
  return 'executor' in board ? board.executor.redactor : new Redactor(board.files.flatMap((file) => file.secrets()));
}
