import type { SealedStore } from '../store/sealed-space.ts';
import { holdLease } from './hold-lease.ts';
import { Job } from './job.ts';
import { hasEnded, type JobKind, type JobRecord, type JobStart, type JobMessage } from './job-record.ts';
import { JobTables } from './job-tables.ts';

/** Milliseconds between checks of a job whose process may have been killed. */
const LOOK_AGAIN = 1_000;

/**
 * Jobs of one kind, in a store that all processes of a board share. A job is work that outlives its process.
 *
 * A job is a record, an append-only log of entries and, at its end, a result. One process at a time holds it by a lease, and each of its
 * writes checks that lease. Any process may read a job, send it messages, and claim it when its holder has ended.
 */
export class Jobs<Info, Entry = never, Result = never> {
  readonly #store: () => SealedStore;
  readonly #kind: JobKind;

  constructor(store: () => SealedStore, kind: JobKind) {
    this.#store = store;
    this.#kind = kind;
  }

  /** Claims a job for this process, or creates it if `start` is given. */
  async open(id: string, start?: JobStart<Info, Entry>): Promise<Job<Info, Entry, Result> | 'held' | 'missing'> {
    const store = this.#store();
    const held = await holdLease(store, this.#leaseOf(id));
    if (held === undefined) return 'held';
    const parts = { store, kind: this.#kind, held };
    try {
      const tables = this.#tables;
      const record = await tables.record(id);
      if (record !== undefined) {
        const entries = hasEnded(record) ? [] : await tables.entries(id);
        return new Job({ ...parts, record, entries, isNew: false });
      }
      if (start !== undefined) {
        const { entries, ...given } = start;
        const now = Date.now();
        const created: JobRecord<Info> = { id, ...given, state: 'working', createdAt: now, changedAt: now };
        await store.transaction(async (inside) => {
          await inside.fence(held.lease);
          const written = new JobTables<Info, Entry, Result>(this.#kind, inside);
          await written.setRecord(created);
          for (const [number, entry] of entries.entries()) await written.setEntry(created, { number, entry });
        });
        return new Job({ ...parts, record: created, entries, isNew: true });
      }
    } catch (error) {
      await held.release();
      throw error;
    }
    await held.release();
    return 'missing';
  }

  get(id: string): Promise<JobRecord<Info> | undefined> {
    return this.#tables.record(id);
  }

  /** Returns the log of a job that has not ended. */
  entries(id: string): Promise<Entry[]> {
    return this.#tables.entries(id);
  }

  /** Returns the result of an ended job, if it has one. */
  result(id: string): Promise<Result | undefined> {
    return this.#tables.result(id);
  }

  /** Returns the name of the process that works on a job, if any. */
  holder(id: string): Promise<string | undefined> {
    return this.#store().leaseHolder(this.#leaseOf(id));
  }

  /** Lists jobs, the longest unchanged first. */
  list(wanted: { readonly owner?: string; readonly prefix?: string } = {}): Promise<JobRecord<Info>[]> {
    return this.#tables.records(wanted);
  }

  /** Returns true when one more job would exceed the limits of its kind, for its owner or for all. */
  async isFull(owner: string): Promise<boolean> {
    const { limits } = this.#kind;
    if (limits === undefined) return false;
    const own = await this.#tables.count(owner);
    if (own.jobs >= limits.ofOne.jobs || own.bytes >= limits.ofOne.bytes) return true;
    const all = await this.#tables.count();
    return all.jobs >= limits.ofAll.jobs || all.bytes >= limits.ofAll.bytes;
  }

  /** Sends a message to the process that works on a job, now or later. */
  async send(id: string, message: JobMessage): Promise<void> {
    await this.#store().transaction(async (inside) => {
      await new JobTables(this.#kind, inside).addMessage(id, message);
      await inside.signal(this.#kind.name);
    });
  }

  /** Calls `listener` when a record of this kind may have changed. Returns a function that stops it. */
  watch(listener: () => void): () => void {
    return this.#store().watch(this.#kind.name, listener);
  }

  /**
   * Yields a job whenever it may have changed, until it ends, is gone, or the signal aborts. Checks every second as well, because a
   * killed process sends no signal.
   */
  async *follow(id: string, signal?: AbortSignal): AsyncGenerator<JobRecord<Info>, void> {
    let hint = Promise.withResolvers<void>();
    const wake = (): void => hint.resolve();
    const stop = this.watch(wake);
    const timer = setInterval(wake, LOOK_AGAIN);
    signal?.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        if (signal?.aborted === true) return;
        const record = await this.get(id);
        if (record === undefined) return;
        yield record;
        if (hasEnded(record)) return;
        await hint.promise;
        hint = Promise.withResolvers();
      }
    } finally {
      stop();
      clearInterval(timer);
      signal?.removeEventListener('abort', wake);
    }
  }

  /**
   * Cancels a job in any process. Calls `end` with a job that no process works on; otherwise asks its process to end it and waits.
   * Returns the ended job; `undefined` when there is none, or when the signal aborts first.
   */
  async cancel(
    id: string,
    end: (job: Job<Info, Entry, Result>) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<JobRecord<Info> | undefined> {
    let isRequested = false;
    for await (const record of this.follow(id, signal)) {
      if (hasEnded(record)) return record;
      const job = await this.open(id);
      if (job === 'missing') return undefined;
      if (job !== 'held') {
        try {
          if (!job.isOver) await end(job);
          return job.record;
        } finally {
          await job.release();
        }
      }
      if (!isRequested) await this.send(id, { type: 'cancel' });
      isRequested = true;
    }
    return undefined;
  }

  get #tables(): JobTables<Info, Entry, Result> {
    return new JobTables(this.#kind, this.#store());
  }

  #leaseOf(id: string): string {
    return `${this.#kind.name} ${id}`;
  }
}
