import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { BoardStore } from '../store/board-store.ts';

interface Turn<T> {
  readonly store: Pick<BoardStore, 'takeLease'>;
  /** Returns the result of another process; `undefined` while the work is still to do. */
  readonly find: () => Promise<T | undefined>;
  readonly work: () => Promise<T>;
  /** Waits some milliseconds. Default: by the system clock. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** Milliseconds for which one process holds its turn. A token request takes at most 15 seconds. */
const TURN = 30_000;
/** Milliseconds between checks for another process's result. */
const LOOK = 100;

/** Runs `work` in one process at a time, because a refresh token may be valid only once. Other processes get its result. */
export async function takeTurn<T>(name: string, { store, find, work, sleep = wait }: Turn<T>): Promise<T> {
  const holder = randomUUID();
  for (;;) {
    const before = await find();
    if (before !== undefined) return before;
    const lease = await store.takeLease(name, { holder, ttl: TURN });
    try {
      // The result may have arrived just before the turn became free.
      if (lease !== undefined) return (await find()) ?? (await work());
    } finally {
      await lease?.release();
    }
    await sleep(LOOK);
  }
}
