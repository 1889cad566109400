import type { BoardParts } from '../../discovery/board-like.ts';

/** Waits for servers before the first list of tools; `undefined` where there is nothing to wait for. */
export type FirstList = (limit: number) => Promise<void> | undefined;

/**
 * Makes the wait for a board that was just opened: many clients ask for its tools once, and must not see a list without those of servers
 * that are still starting. Lists that come meanwhile share the wait; after it none waits again, as changes are announced.
 */
export function createFirstList(board: BoardParts): FirstList {
  let waiting: Promise<void> | undefined;
  let isOver = board.ready === undefined;
  const wait = async (limit: number): Promise<void> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    try {
      await board.ready?.({ signal: late.signal });
    } catch {
      // The time is over, or a server failed: what is there is listed.
    } finally {
      clearTimeout(timer);
      isOver = true;
      waiting = undefined;
    }
  };
  return (limit) => {
    if (isOver) return undefined;
    isOver = limit <= 0 || board.servers?.every(({ offered }) => offered !== undefined) !== false;
    return isOver ? undefined : (waiting ??= wait(limit));
  };
}
