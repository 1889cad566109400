import type { Board } from '../../../../board/board.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { messageOf } from '../../../../tool/texts/message-of.ts';

/** Milliseconds until an unavailable database is tried again. */
const RETRY = 5_000;

/**
 * Checks the store that several machines share: a process with another key or an older version must not start.
 *
 * The server also starts while the database is unavailable. The returned signal aborts if the database later turns out to be
 * unusable for this process.
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
    log(`warning: ${messageOf(error)} Tools that do not need it work meanwhile.`);
    checkLater();
  }
  return failed.signal;
}

function isAway(error: unknown): boolean {
  return error instanceof ToolError && (error.code === 'upstream_unavailable' || error.code === 'outcome_unknown');
}
