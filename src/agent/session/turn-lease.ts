import { hostname } from 'node:os';
import { isPlainObject } from '../../tool/json.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { isAlive } from '../../platform/process/is-alive.ts';

const SPACE = 'agent-turns';
/** How long a turn counts as running without a sign of life. */
const LEASE = 30_000;

/** A session's turn as other processes see it. */
export interface TurnLease {
  /** Takes it, or keeps it for longer. Gives the owner when that is another one. */
  take(owner: string): string | undefined;
  /** Gives it back, if this owner has it. */
  release(owner: string): void;
}

/** The lease of a session in a board's store. One whose process has died is free at once. */
export function openTurnLease(store: BoardStore, session: string): TurnLease {
  const space = store.space(SPACE);
  const holder = (): string | undefined => {
    const held = space.get(session);
    if (!isPlainObject(held) || typeof held['owner'] !== 'string') return undefined;
    const { owner, host, pid } = held;
    return host === hostname() && typeof pid === 'number' && !isAlive(pid) ? undefined : owner;
  };
  return {
    take: (owner) =>
      store.transaction(() => {
        const other = holder();
        if (other !== undefined && other !== owner) return other;
        space.set(session, { owner, host: hostname(), pid: process.pid }, { ttl: LEASE });
        return undefined;
      }),
    release: (owner) =>
      store.transaction(() => {
        if (holder() === owner) space.delete(session);
      }),
  };
}
