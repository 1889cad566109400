import type { Query } from '../../../../platform/postgres/postgres-server.ts';
import type { EmbeddingSettings } from '../../../vector-store.ts';
import { type Database, OPERATORS } from '../tables.ts';

/** The numbers an index compares: as they are, or with half the precision and half the size. */
export type Precision = 'vector' | 'halfvec';

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
export function choosePrecision(
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
export function buildStatement(
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
export async function clearLeftovers(database: Database, key: number, embedding: EmbeddingSettings): Promise<boolean> {
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
export async function readBuild({ query, tables }: Database, key: number): Promise<number | undefined> {
  // Building the graph takes nearly all of the time; then the table is read once more for rows added meanwhile.
  const [row] = await query<{ done: number | null }>(
    `select case when phase like 'building%' then 0.95 * blocks_done / nullif(blocks_total, 0)
        when phase like 'index validation%' then 0.95 else 0 end::float8 as done
      from pg_stat_progress_create_index where relid = to_regclass($1)`,
    [tables.vectors(key)],
  );
  return row?.done ?? undefined;
}
