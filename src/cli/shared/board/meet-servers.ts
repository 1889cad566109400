import type { Board } from '../../../board/board.ts';
import type { BoardServer } from '../../../features/servers/to-board-server.ts';
import { unlessAborted } from '../../../platform/unless-aborted.ts';
import { type CliContext, printLine } from '../cli-context.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { clearLine } from '../print/gate-output.ts';

/** Selects the servers to ask among those whose tools are unknown. */
export type ServerWish =
  /** All of them, including those that failed recently: `--wait`. */
  | 'all'
  /** All except those that failed recently. */
  | 'new'
  /** Like `new` on a terminal; elsewhere none, with a note. */
  | 'seen'
  /** None, with a note: the folder is not trusted. */
  | 'none';

const REDRAW_MS = 100;

/** Asks the servers that a command needs, and shows on a terminal what it waits for. Ctrl-C continues without them. */
export async function meetServers(board: Board, wish: ServerWish, context: CliContext): Promise<void> {
  const unknown = board.servers.filter(({ offered }) => offered === undefined);
  if (unknown.length === 0) return;
  if (wish === 'none' || (wish === 'seen' && context.stderr.isTTY !== true)) return noteUnasked(unknown, context);
  await showWaiting(board, board.ready({ retry: wish === 'all' }), context);
}

/** Names the servers that were never asked and how to ask them. Failed servers have warnings of their own. */
export function noteUnasked(
  servers: readonly Pick<BoardServer, 'name' | 'failure'>[],
  { stderr }: Pick<CliContext, 'stderr'>,
): void {
  const names = servers.filter(({ failure }) => failure === undefined).map(({ name }) => name);
  if (names.length === 0) return;
  const [what, them] = names.length === 1 ? ['server has', 'it'] : ['servers have', 'them'];
  printLine(stderr, `${names.length} MCP ${what} not been asked yet: ${names.join(', ')}. Use --wait to ask ${them}.`);
}

/** Waits for work, and shows on a terminal which servers it waits for. */
export async function showWaiting(board: Board, work: Promise<unknown>, context: CliContext): Promise<void> {
  const { stderr } = context;
  const interrupted = new AbortController();
  // Without a visible line, Ctrl-C stops the command.
  const release = stderr.isTTY === true ? context.onInterrupt?.(() => interrupted.abort()) : undefined;
  const started = performance.now();
  const draw = (): void => {
    const names = board.servers.filter(({ state }) => state === 'starting').map(({ name }) => name);
    const seconds = Math.floor((performance.now() - started) / 1000);
    const what = `Waiting for ${names.length === 1 ? 'the MCP server' : counted(names.length, 'MCP server')}`;
    const line = `${what} ${names.join(', ')} (${seconds} s). Ctrl-C continues without.`;
    if (names.length > 0) stderr.write(`${clearLine()}${line.slice(0, Math.max(20, (stderr.columns || 80) - 1))}`);
  };
  const timer = stderr.isTTY === true ? setInterval(draw, REDRAW_MS) : undefined;
  try {
    await unlessAborted(work, AbortSignal.any([interrupted.signal, context.signal])).catch(() => {});
  } finally {
    clearInterval(timer);
    release?.();
    if (timer !== undefined) stderr.write(clearLine());
  }
}
