import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolError } from '../../tool/tool-error.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';

const POLL = 100;
const RENEWAL = 10_000;
/** How long a turn counts as running without a sign of life. */
const LEASE = 30_000;

/** How a turn waits for the one before it. */
export interface TurnOptions {
  /** Stops waiting: the turn is not taken then. */
  readonly signal?: AbortSignal | undefined;
  /** Told once, when there is something to wait for. */
  readonly onWait?: (() => void) | undefined;
}

/** The turns that the code running now is inside of: one that waits for itself would wait for ever. */
const inside = new AsyncLocalStorage<ReadonlySet<string>>();

/** Lets the turns of a session run one after the other, in the order they came; between processes by a lease. */
export class TurnLock {
  readonly #session: string;
  readonly #store: BoardStore | undefined;
  #last: Promise<void> = Promise.resolve();
  #holder: string | undefined;
  #count = 0;

  constructor(session: string, store?: BoardStore) {
    this.#session = session;
    this.#store = store;
  }

  /** Whether no run has the turn or waits for it. */
  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Does the work when its turn has come. Rejects when it is cancelled before that. */
  async hold<T>(work: () => Promise<T>, { signal, onWait }: TurnOptions): Promise<T> {
    const owner = randomUUID();
    const tell = onlyOnce(() => onWait?.());
    const leave = await this.#queue(tell, signal);
    try {
      this.#holder = owner;
      const giveBack = await this.#take(owner, tell, signal);
      try {
        return await inside.run(new Set([...(inside.getStore() ?? []), owner]), work);
      } finally {
        await giveBack();
      }
    } finally {
      this.#holder = undefined;
      leave();
    }
  }

  /** Waits for the turns of this process that came before. */
  async #queue(tell: () => void, signal: AbortSignal | undefined): Promise<() => void> {
    this.#refuseOwn(this.#holder);
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = before.then(() => mine.promise);
    if (this.#count++ > 0) tell();
    const leave = (): void => {
      this.#count--;
      mine.resolve();
    };
    try {
      await unlessAborted(before, signal);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Waits for the turns of other processes. */
  async #take(owner: string, tell: () => void, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
    const store = this.#store;
    if (store === undefined) return async () => {};
    const name = `agent-turn ${this.#session}`;
    let lease = await store.takeLease(name, { holder: owner, ttl: LEASE });
    while (lease === undefined) {
      this.#refuseOwn(await store.leaseHolder(name));
      tell();
      await delay(POLL, undefined, signal === undefined ? {} : { signal });
      lease = await store.takeLease(name, { holder: owner, ttl: LEASE });
    }
    const taken = lease;
    // A store that is away or closed: a lease that is not renewed, or not given back, ends by itself.
    const renewal = setInterval(() => void taken.renew().catch(() => false), RENEWAL).unref();
    return async () => {
      clearInterval(renewal);
      await taken.release().catch(() => undefined);
    };
  }

  #refuseOwn(holder: string | undefined): void {
    if (holder === undefined || inside.getStore()?.has(holder) !== true) return;
    const name = this.#session === '' ? 'A session' : `The session "${this.#session}"`;
    const message = `${name} is in the middle of a turn, and this run was started inside of it: it would wait for itself. Give it another session, or none.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'session' });
  }
}

function onlyOnce(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
