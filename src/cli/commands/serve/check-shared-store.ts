import type { Board } from '../../../board/board.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** Milliseconds until a database that was away is tried again. */
const RETRY = 5_000;

/**
 * Checks the store of a board that several machines serve: one with another key or an older program must not begin.
 *
 * While the database is away the server starts all the same. Gives a signal that aborts when the database turns out to be none
 * that this process may use.
 */
export async function checkSharedStore(board: Board, log: (text: string) => void): Promise<AbortSignal> {
  const failed = new AbortController();
  if (!board.store.address.startsWith('postgres')) return failed.signal;
  const checkLater = (): void => void setTimeout(() => void check(), RETRY).unref();
  const check = async (): Promise<void> => {
    try {
      await board.checkStore();
    } catch (error) {
      if (isAway(error)) return checkLater();
      log(`error: ${messageOf(error)}`);
      failed.abort();
    }
  };
  try {
    await board.checkStore();
  } catch (error) {
    if (!isAway(error)) throw error;
    log(`warning: ${messageOf(error)} Tools that need nothing from it work meanwhile.`);
    checkLater();
  }
  return failed.signal;
}

function isAway(error: unknown): boolean {
  return error instanceof ToolError && (error.code === 'upstream_unavailable' || error.code === 'outcome_unknown');
}
