import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { type PostgresServer, serverCodeOf } from '../../../../platform/postgres/postgres-server.ts';
import type { OptimizeOptions } from '../../../vector-store.ts';
import type { CollectionRow } from '../collections.ts';
import type { Tables } from '../tables.ts';
import { buildStatement, choosePrecision, clearLeftovers, findIndex, readBuild, readPgvector } from './vector-index.ts';

export interface IndexKeeperOptions {
  readonly server: PostgresServer;
  readonly tables: Tables;
  /** Up to this many vectors need no index. */
  readonly exactUpTo: number;
}

/** The interval at which a build is checked. */
const LOOK_MS = 500;
/** The time before the same collection is checked again, unless a caller asks. */
const PAUSE_MS = 600_000;
/** Another build or a vacuum has locked the table, another process created the index first, or two builds deadlocked. */
const TAKEN = new Set(['55P03', '42P07', '23505', '40P01']);
/** PostgreSQL's code for internal errors, such as "tuple concurrently updated" when two processes change a table's catalog rows. */
const INTERNAL = 'XX000';
/** Internal errors that a build tolerates before it reports one. */
const MAX_INTERNAL_ERRORS = 5;
/** The collection or its table no longer exists. */
const GONE = new Set(['42P01', '3F000']);

/** Builds the indexes of vectors, one at a time for each collection, while it is read and written. */
export class IndexKeeper {
  readonly #options: IndexKeeperOptions;
  readonly #running = new Map<number, Promise<string | undefined>>();
  /** Collections that need no build, with the time until which they are skipped. */
  readonly #leftAlone = new Map<number, number>();
  readonly #stop = new AbortController();

  constructor(options: IndexKeeperOptions) {
    this.#options = options;
  }

  /** Builds the index of a collection in the background, if it needs one. */
  begin(collection: CollectionRow): void {
    if (this.#stop.signal.aborted || !this.#isLarge(collection)) return;
    if ((this.#leftAlone.get(collection.key) ?? 0) > performance.now()) return;
    void this.build(collection);
  }

  /**
   * Builds the index of a collection if it needs one, or waits for another process to do so. Returns the reason if that
   * fails.
   */
  async build(collection: CollectionRow, { signal, onProgress }: OptimizeOptions = {}): Promise<string | undefined> {
    const { key } = collection;
    if (!this.#isLarge(collection)) return undefined;
    let work = this.#running.get(key);
    if (work === undefined) {
      work = this.#buildOnce(collection).finally(() => this.#running.delete(key));
      this.#running.set(key, work);
    }
    const done = new AbortController();
    const ended = work.finally(() => done.abort());
    const stopped = new Promise<undefined>((resolve) => {
      signal?.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal });
    });
    void this.#watch(key, done.signal, onProgress);
    // The server continues the build.
    const problem = await (signal?.aborted === true ? undefined : Promise.race([ended, stopped]));
    done.abort();
    return problem;
  }

  /** Stops waiting. The server continues a build that has started. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  #isLarge({ info, chunks }: CollectionRow): boolean {
    return info.embedding !== undefined && chunks > this.#options.exactUpTo;
  }

  async #buildOnce(collection: CollectionRow): Promise<string | undefined> {
    const { key } = collection;
    let internalErrors = 0;
    const mayTryAgain = (error: unknown): boolean =>
      TAKEN.has(serverCodeOf(error)) || (serverCodeOf(error) === INTERNAL && ++internalErrors < MAX_INTERNAL_ERRORS);
    try {
      while (!(await this.#attempt(collection, mayTryAgain)))
        await wait(LOOK_MS, undefined, { signal: this.#stop.signal });
      this.#leftAlone.set(key, performance.now() + PAUSE_MS);
      return undefined;
    } catch (error) {
      const isOver = this.#stop.signal.aborted || GONE.has(serverCodeOf(error));
      this.#leftAlone.set(key, performance.now() + PAUSE_MS);
      return isOver ? undefined : messageOf(error);
    }
  }

  /** Returns true if an index exists or none is possible, and false if the caller should try again later. */
  async #attempt(
    { key, info: { embedding } }: CollectionRow,
    mayTryAgain: (error: unknown) => boolean,
  ): Promise<boolean> {
    const { server, tables } = this.#options;
    if (embedding === undefined) return true;
    const precision = choosePrecision(embedding, await server.run(readPgvector));
    if (precision === undefined) return true;
    const index = await server.run((query) => findIndex({ query, tables }, key, embedding));
    if (index?.isValid === true) return true;
    try {
      const mayBegin = await server.transaction((query) => clearLeftovers({ query, tables }, key, embedding));
      if (!mayBegin) return true;
      await server.runAlone(buildStatement({ tables }, key, { embedding, precision }), this.#stop.signal);
      // The planner uses statistics that may be older than the load.
      const { documents, chunks, words } = tables;
      for (const table of [tables.vectors(key), documents, chunks, words])
        await server.run((query) => query(`analyze ${table}`));
    } catch (error) {
      if (mayTryAgain(error)) return false;
      throw error;
    }
    return true;
  }

  async #watch(key: number, signal: AbortSignal, onProgress: OptimizeOptions['onProgress']): Promise<void> {
    const { server, tables } = this.#options;
    if (onProgress === undefined) return;
    try {
      while (!signal.aborted) {
        await wait(LOOK_MS, undefined, { signal });
        const share = await server.run((query) => readBuild({ query, tables }, key));
        if (share !== undefined && !signal.aborted) onProgress(share);
      }
    } catch {
      // Progress is optional.
    }
  }
}
