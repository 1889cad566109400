import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { BoardStore } from '../store/board-store.ts';

/** What several processes may want to do with one token. */
interface Turn<T> {
  readonly store: Pick<BoardStore, 'takeLease'>;
  /** What another process has got meanwhile; `undefined` when it is still to be done. */
  readonly find: () => Promise<T | undefined>;
  readonly work: () => Promise<T>;
  /** Waits some milliseconds. Default: by the machine's own clock. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** Milliseconds for which one process has its turn; a request for a token takes 15 seconds at most. */
const TURN = 30_000;
/** Milliseconds between two looks at what another process got. */
const LOOK = 100;

/** Renews a token in one process at a time: a refresh token may be good for one use. The others get what came of it. */
export async function takeTurn<T>(name: string, { store, find, work, sleep = wait }: Turn<T>): Promise<T> {
  const holder = randomUUID();
  for (;;) {
    const before = await find();
    if (before !== undefined) return before;
    const lease = await store.takeLease(name, { holder, ttl: TURN });
    try {
      // It may have come just before the turn was free.
      if (lease !== undefined) return (await find()) ?? (await work());
    } finally {
      await lease?.release();
    }
    await sleep(LOOK);
  }
}
