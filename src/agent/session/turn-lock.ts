import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolError } from '../../tool/tool-error.ts';
import { holdLease } from '../../platform/jobs/hold-lease.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';

const POLL = 100;

/** Options for waiting for a turn. */
export interface TurnOptions {
  /** Stops waiting; the turn is not taken. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if the turn has to wait. */
  readonly onWait?: (() => void) | undefined;
}

/** The turns around the running code: waiting for one of them would never end. */
const inside = new AsyncLocalStorage<ReadonlySet<string>>();

/** Runs the turns of a session in order of arrival; across processes with a lease. */
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

  /** True when no run holds the turn or waits for it. */
  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Runs the work in its turn. Rejects if cancelled before that. */
  async hold<T>(work: () => Promise<T>, { signal, onWait }: TurnOptions): Promise<T> {
    const owner = randomUUID();
    const reportWait = onlyOnce(() => onWait?.());
    const leave = await this.#queue(reportWait, signal);
    try {
      this.#holder = owner;
      const release = await this.#take(owner, reportWait, signal);
      try {
        return await inside.run(new Set([...(inside.getStore() ?? []), owner]), work);
      } finally {
        await release();
      }
    } finally {
      this.#holder = undefined;
      leave();
    }
  }

  /** Waits for earlier turns of this process. */
  async #queue(reportWait: () => void, signal: AbortSignal | undefined): Promise<() => void> {
    this.#refuseOwn(this.#holder);
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = before.then(() => mine.promise);
    if (this.#count++ > 0) reportWait();
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

  /** Waits for turns of other processes. */
  async #take(owner: string, reportWait: () => void, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
    const store = this.#store;
    if (store === undefined) return async () => {};
    const name = `agent-turn ${this.#session}`;
    for (;;) {
      const held = await holdLease(store, name, owner);
      if (held !== undefined) return () => held.release();
      this.#refuseOwn(await store.leaseHolder(name));
      reportWait();
      await delay(POLL, undefined, signal === undefined ? {} : { signal });
    }
  }

  #refuseOwn(holder: string | undefined): void {
    if (holder === undefined || inside.getStore()?.has(holder) !== true) return;
    const name = this.#session === '' ? 'A session' : `The session "${this.#session}"`;
    const message = `${name} is in the middle of a turn, and this run was started inside it: it would wait for itself. Give it another session, or none.`;
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
