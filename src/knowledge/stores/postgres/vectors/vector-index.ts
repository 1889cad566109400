import { type PostgresServer, type Query, serverCodeOf } from '../../../../platform/postgres/postgres-server.ts';
import type { EmbeddingSettings, OptimizeOptions } from '../../../vector-store.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import { type CollectionRow, type Database, OPERATORS, type Tables } from '../tables.ts';

/** The numbers an index compares: as they are, or with half the precision and half the size. */
type Precision = 'vector' | 'halfvec';

export interface VectorIndex {
  readonly precision: Precision;
  readonly isValid: boolean;
}

/** Returns the version of pgvector as a comparable number (8 for 0.8.1), or `undefined` without pgvector. */
export async function readPgvector(query: Query): Promise<number | undefined> {
  const [row] = await query<{ extversion: string }>(`select extversion from pg_extension where extname = 'vector'`);
  if (row === undefined) return undefined;
  const [major = 0, minor = 0] = row.extversion.split('.').map(Number);
  return major * 1_000 + minor;
}

/** The first version with vectors of half precision. */
const HALF_VECTORS = 7;
/** The first version whose scans continue until enough entries pass a filter. */
export const ITERATIVE_SCANS = 8;

/** The longest vectors that pgvector can index. */
const LONGEST: Readonly<Record<Precision, number>> = { vector: 2_000, halfvec: 4_000 };

/**
 * Chooses the precision of an index. Returns `undefined` for vectors that are too long.
 *
 * Unit vectors lose nothing that matters at half precision, because the vectors that the index finds are compared
 * exactly. Larger numbers might not fit.
 */
function choosePrecision(
  { dimension, distance }: EmbeddingSettings,
  pgvector: number | undefined,
): Precision | undefined {
  const hasHalf = pgvector !== undefined && pgvector >= HALF_VECTORS && dimension <= LONGEST.halfvec;
  if (hasHalf && (distance === 'cosine' || dimension > LONGEST.vector)) return 'halfvec';
  return dimension <= LONGEST.vector ? 'vector' : undefined;
}

/** The ending of an index's name, by precision. Names from earlier versions always end in "near". */
const ENDINGS: Readonly<Record<Precision, string>> = { vector: 'near', halfvec: 'half' };

/** Finds the index over a collection's vectors, preferring a valid one. */
export async function findIndex(
  { query, tables }: Database,
  key: number,
  { dimension }: EmbeddingSettings,
): Promise<VectorIndex | undefined> {
  const rows = await query<{ name: string; valid: boolean }>(
    `select c.relname as name, i.indisvalid and i.indisready as valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = to_regclass($1) and not i.indisprimary order by valid desc`,
    [tables.vectors(key)],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const isHalf = row.name.endsWith(ENDINGS.halfvec) || dimension > LONGEST.vector;
  return { precision: isHalf ? 'halfvec' : 'vector', isValid: row.valid };
}

/** Returns the statement that builds an index while the table is read and written. */
function buildStatement(
  { tables }: Pick<Database, 'tables'>,
  key: number,
  { embedding, precision }: { readonly embedding: EmbeddingSettings; readonly precision: Precision },
): string {
  const { dimension, distance } = embedding;
  const operand = precision === 'vector' ? 'vector' : `(vector::halfvec(${dimension}))`;
  const operators = `${precision}_${OPERATORS[distance].index}`;
  const name = tables.index(`vectors_${key}_${ENDINGS[precision]}`);
  return `create index concurrently ${name} on ${tables.vectors(key)} using hnsw (${operand} ${operators})`;
}

/**
 * Drops the invalid indexes of interrupted builds. Returns true if a build may start. Runs inside a transaction.
 *
 * A build holds this lock on the table until it ends, so if the lock is free, an invalid index is a leftover. `nowait`
 * avoids a queue of reads and writes behind the lock.
 */
async function clearLeftovers(database: Database, key: number, embedding: EmbeddingSettings): Promise<boolean> {
  const { query, tables } = database;
  await query(`set local lock_timeout = '1s'`);
  await query(`lock table ${tables.vectors(key)} in share update exclusive mode nowait`);
  const index = await findIndex(database, key, embedding);
  if (index?.isValid === true) return false;
  const rows = await query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = to_regclass($1) and not i.indisvalid`,
    [tables.vectors(key)],
  );
  for (const { name } of rows) await query(`drop index ${tables.schema}.${name}`);
  return true;
}

/** Drops the table of a collection's vectors, if it exists. Cancels a running build first, which would block that. */
export async function dropVectors({ query, tables }: Database, key: number): Promise<void> {
  const table = tables.vectors(key);
  await query('select pg_cancel_backend(pid) from pg_stat_progress_create_index where relid = to_regclass($1)', [
    table,
  ]);
  await query(`drop table if exists ${table}`);
}

/** Returns the progress of a build from 0 to 1, or `undefined` if none runs or the user may not see it. */
async function readBuild({ query, tables }: Database, key: number): Promise<number | undefined> {
  // Building the graph takes nearly all of the time; then the table is read once more for rows added meanwhile.
  const [row] = await query<{ done: number | null }>(
    `select case when phase like 'building%' then 0.95 * blocks_done / nullif(blocks_total, 0)
        when phase like 'index validation%' then 0.95 else 0 end::float8 as done
      from pg_stat_progress_create_index where relid = to_regclass($1)`,
    [tables.vectors(key)],
  );
  return row?.done ?? undefined;
}

interface IndexKeeperOptions {
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
