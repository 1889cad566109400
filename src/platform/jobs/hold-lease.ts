import { hostname } from 'node:os';
import type { BoardStore, StoreLease } from '../store/board-store.ts';

/** Milliseconds until a lease expires without renewal, and between two renewals. */
const LEASE = 30_000;
const RENEWAL = 10_000;

/** A lease that this process holds. */
export interface HeldLease {
  readonly lease: StoreLease;
  /** Aborts when another process takes the lease, because this one did not renew it in time. */
  readonly lost: AbortSignal;
  /** Lets others take the lease. Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

/** Takes a lease and renews it until it is released. Returns `undefined` while another process holds it. */
export async function holdLease(
  store: Pick<BoardStore, 'takeLease'>,
  name: string,
  holder = `process ${process.pid} on ${hostname()}`,
): Promise<HeldLease | undefined> {
  const lease = await store.takeLease(name, { holder, ttl: LEASE });
  if (lease === undefined) return undefined;
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    // The store may be unreachable for a moment: the next write shows if the lease is still held.
    if (await lease.renew().catch(() => true)) return;
    clearInterval(renewal);
    lost.abort();
  };
  const renewal = setInterval(() => void renew(), RENEWAL).unref();
  const release = async (): Promise<void> => {
    clearInterval(renewal);
    await lease.release().catch(() => undefined);
  };
  return { lease, lost: lost.signal, release };
}
