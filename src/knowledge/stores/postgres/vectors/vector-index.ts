import type { Query } from '../../../../platform/postgres/postgres-server.ts';
import type { EmbeddingSettings } from '../../../vector-store.ts';
import { type Database, OPERATORS } from '../tables.ts';

/** What an index compares: the numbers as they are, or at half the precision and half the size. */
export type Precision = 'vector' | 'halfvec';

/** The index over a collection's vectors. */
export interface VectorIndex {
  readonly precision: Precision;
  readonly isValid: boolean;
}

/** The version of pgvector as numbers that can be compared: 0.8.1 is 8; `undefined` without pgvector. */
export async function readPgvector(query: Query): Promise<number | undefined> {
  const [row] = await query<{ extversion: string }>(`select extversion from pg_extension where extname = 'vector'`);
  if (row === undefined) return undefined;
  const [major = 0, minor = 0] = row.extversion.split('.').map(Number);
  return major * 1_000 + minor;
}

/** The first version with vectors at half precision. */
const HALF_VECTORS = 7;
/** The first version whose scans go on until a filter let enough through. */
export const ITERATIVE_SCANS = 8;

/** The longest vectors that pgvector indexes. */
const LONGEST: Readonly<Record<Precision, number>> = { vector: 2_000, halfvec: 4_000 };

/**
 * What an index of these vectors is made of; `undefined` for vectors that are too long.
 *
 * Vectors of length 1 lose nothing that matters at half the precision, since those that the index finds are compared exactly;
 * numbers of any size might not fit into it.
 */
export function choosePrecision(
  { dimension, distance }: EmbeddingSettings,
  pgvector: number | undefined,
): Precision | undefined {
  const hasHalf = pgvector !== undefined && pgvector >= HALF_VECTORS && dimension <= LONGEST.halfvec;
  if (hasHalf && (distance === 'cosine' || dimension > LONGEST.vector)) return 'halfvec';
  return dimension <= LONGEST.vector ? 'vector' : undefined;
}

/** The part of an index's name that says what it is made of. Those of earlier versions end in "near" in both cases. */
const ENDINGS: Readonly<Record<Precision, string>> = { vector: 'near', halfvec: 'half' };

/** The index over a collection's vectors; `undefined` when none is there. Of several one that is valid. */
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

/** The statement that builds an index while the table is read and written. */
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
 * Takes away what a build left that was ended by force; whether one may begin. Runs inside a transaction.
 *
 * A build holds this lock on the table until its end, so that an invalid index is a leftover where the lock is free. It
 * is not waited for: reads and writes that come later would wait behind it.
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

/** Drops the table of a collection's vectors, if there is one. A build would hold that up to its end: it is ended first. */
export async function dropVectors({ query, tables }: Database, key: number): Promise<void> {
  const table = tables.vectors(key);
  await query('select pg_cancel_backend(pid) from pg_stat_progress_create_index where relid = to_regclass($1)', [
    table,
  ]);
  await query(`drop table if exists ${table}`);
}

/** How much of a build is done, from 0 to 1; `undefined` when none runs or the user may not see it. */
export async function readBuild({ query, tables }: Database, key: number): Promise<number | undefined> {
  // Nearly all of the time goes into the graph; afterwards the table is read once more for what came meanwhile.
  const [row] = await query<{ done: number | null }>(
    `select case when phase like 'building%' then 0.95 * blocks_done / nullif(blocks_total, 0)
        when phase like 'index validation%' then 0.95 else 0 end::float8 as done
      from pg_stat_progress_create_index where relid = to_regclass($1)`,
    [tables.vectors(key)],
  );
  return row?.done ?? undefined;
}
