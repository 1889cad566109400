import { chunkId, type DocumentFilter, type EmbeddingSettings, type SearchHit } from '../../../vector-store.ts';
import { toKeptVector } from '../../nearness.ts';
import { type Database, OPERATORS } from '../tables.ts';
import { countSelected, hasConditions, type ServerSearch, toAmong, toWhere } from '../read.ts';
import { toVectorText } from '../write.ts';
import { ITERATIVE_SCANS, type VectorIndex } from './vector-index.ts';

/** A search by vector and the index it may use. */
export interface VectorSearch extends ServerSearch {
  readonly vector: Float32Array;
  readonly embedding: EmbeddingSettings;
  readonly index: VectorIndex | undefined;
  /** The version of pgvector, as `readPgvector` returns it. */
  readonly pgvector: number | undefined;
  /** Up to this many vectors are all compared. */
  readonly exactUpTo: number;
}

interface HitRow {
  id: string;
  position: number;
  score: number;
}

/** Index entries scanned for each hit that is needed. */
const MARGIN = 2;
/** Vectors that can be compared in the time of scanning and filtering one index entry. */
const EXACT_PER_ENTRY = 6;
/** pgvector's limit for the width of a search. */
const WIDEST = 1_000;
/**
 * Up to this many vectors are compared exactly, in about a second, rather than scanning deep into the index, which
 * misses many.
 */
const MOST_COMPARED = 200_000;
/** The number of nearest chunks that a filter should select, and the number below which it selects others. */
const [EXPECTED_NEAR, TOO_FEW_NEAR] = [10, 4];
/** The factor by which a scan continues if more chunks are needed, and the limit at which it gives up. */
const DEEPER = 25;
const MOST_SCANNED = 400_000;

/** Finds the chunks with the nearest vectors. Runs inside a transaction, whose settings it changes. */
export async function searchVectors(database: Database, search: VectorSearch): Promise<SearchHit[]> {
  const { collection, filter, among, limit, index, exactUpTo, pgvector = 0 } = search;
  if (index === undefined || among !== undefined || collection.chunks <= exactUpTo) return compareAll(database, search);
  const isFiltered = hasConditions(filter);
  const selected = isFiltered ? await countSelected(database, search, MOST_COMPARED) : collection.chunks;
  // If a filter selects few chunks, comparing them all is faster than scanning the index, and misses none.
  const few = Math.max(exactUpTo, Math.ceil(Math.sqrt(EXACT_PER_ENTRY * limit * collection.chunks)));
  if (isFiltered && selected <= few) return compareAll(database, search);
  const needed = Math.ceil((limit * MARGIN * collection.chunks) / selected);
  if (pgvector < ITERATIVE_SCANS && needed > WIDEST) return compareAll(database, search);
  if (!isFiltered) return scanIndex(database, search, { index, entries: needed });
  // Otherwise the filter does not select what is near: the nearest selected chunks are far away, where the index misses
  // many.
  const isNear = await isSelectedNear(database, search, { index, share: selected / collection.chunks });
  const near = isNear ? await scanIndex(database, search, { index, entries: needed }) : [];
  if (near.length >= limit) return near;
  if (selected > MOST_COMPARED && pgvector >= ITERATIVE_SCANS) {
    const far = await scanIndex(database, search, { index, entries: needed * DEEPER });
    if (far.length >= limit) return far;
  }
  await database.query('set local enable_seqscan to default');
  return compareAll(database, search);
}

async function compareAll(
  { query, tables }: Database,
  { collection, filter, among, limit, embedding, vector }: VectorSearch,
): Promise<SearchHit[]> {
  const values: unknown[] = [toQuery(vector, embedding), limit];
  const { operator, score } = OPERATORS[embedding.distance];
  // The `+ 0` keeps PostgreSQL from using an index, which might miss a vector.
  const distance = `(v.vector ${operator} $1::vector(${embedding.dimension})) + 0`;
  const isWhole = among === undefined && !hasConditions(filter);
  const [from, where] = isWhole
    ? [`${tables.vectors(collection.key)} v`, 'true']
    : [
        `${tables.documents} d join ${tables.chunks} c on c.document = d.key
          join ${tables.vectors(collection.key)} v on v.chunk = c.key`,
        `d.collection = $${values.push(collection.key)} and ${toWhere(filter, values)} and ${toAmong(among, values)}`,
      ];
  const rows = await query<HitRow>(
    `select d.id, c.position, ${score} as score from (
      select v.chunk, ${distance} as distance from ${from} where ${where} order by distance, v.chunk limit $2) as nearest
      join ${tables.chunks} c on c.key = nearest.chunk join ${tables.documents} d on d.key = c.document
      order by distance, chunk`,
    values,
  );
  return rows.map(toHit);
}

interface IndexScan {
  readonly index: VectorIndex;
  readonly entries: number;
}

/** Scans the index, which may miss a chunk now and then, and compares the found vectors exactly. */
async function scanIndex(database: Database, search: VectorSearch, scan: IndexScan): Promise<SearchHit[]> {
  const { query, tables } = database;
  const { filter, limit, embedding } = search;
  await configureScan(database, search, scan);
  const values: unknown[] = [toQuery(search.vector, embedding), Math.ceil(limit * 1.2), limit];
  const isSelected = hasConditions(filter) ? toQuestion(database, filter, values) : 'true';
  const { score } = OPERATORS[embedding.distance];
  const rows = await query<HitRow>(
    `select d.id, c.position, ${score} as score from (${nearestOf(database, search, { ...scan, where: isSelected })}) as nearest
      join ${tables.chunks} c on c.key = nearest.chunk join ${tables.documents} d on d.key = c.document
      order by distance, chunk limit $3`,
    values,
  );
  return rows.map(toHit);
}

/** Returns true if a filter selects about the same share of the nearest chunks as of all chunks. */
async function isSelectedNear(
  database: Database,
  search: VectorSearch,
  { index, share }: { readonly index: VectorIndex; readonly share: number },
): Promise<boolean> {
  const scan = { index, entries: Math.min(WIDEST, Math.ceil(EXPECTED_NEAR / share)) };
  await configureScan(database, search, scan);
  const values: unknown[] = [toQuery(search.vector, search.embedding), scan.entries];
  const [row] = await database.query<{ selected: number }>(
    `select count(*)::integer as selected from (${nearestOf(database, search, { ...scan, where: 'true' })}) as v
      where ${toQuestion(database, search.filter, values)}`,
    values,
  );
  return (row?.selected ?? 0) >= TOO_FEW_NEAR;
}

/** Returns SQL for `$2` chunks with their exact distance to `$1`, roughly in the order of the index. */
function nearestOf(
  { tables }: Database,
  { collection, embedding }: VectorSearch,
  { index, where }: IndexScan & { readonly where: string },
): string {
  const { operator } = OPERATORS[embedding.distance];
  const type = `${index.precision}(${embedding.dimension})`;
  const operand = index.precision === 'vector' ? 'v.vector' : `v.vector::${type}`;
  return `select v.chunk, v.vector ${operator} $1::vector(${embedding.dimension}) as distance
    from ${tables.vectors(collection.key)} v where ${where} order by ${operand} ${operator} $1::${type} limit $2`;
}

/**
 * Returns a condition that tests a chunk of `v` against a filter. A subquery, not a join, keeps entries in the order of
 * the index.
 */
function toQuestion({ tables }: Database, filter: DocumentFilter | undefined, values: unknown[]): string {
  return `(select ${toWhere(filter, values)} from ${tables.chunks} c join ${tables.documents} d on d.key = c.document
    where c.key = v.chunk)`;
}

async function configureScan(
  { query }: Database,
  { pgvector = 0 }: VectorSearch,
  { entries }: IndexScan,
): Promise<void> {
  const settings: Readonly<Record<string, string>> = {
    // Statistics of a table that was just filled may be wrong.
    enable_seqscan: 'off',
    'hnsw.ef_search': String(Math.min(WIDEST, Math.max(100, entries))),
    ...(pgvector >= ITERATIVE_SCANS && {
      // The outer query sorts them.
      'hnsw.iterative_scan': 'relaxed_order',
      'hnsw.max_scan_tuples': String(Math.min(MOST_SCANNED, Math.max(20_000, entries))),
      'hnsw.scan_mem_multiplier': '16',
    }),
  };
  // Applies to this transaction only: behind PgBouncer the next one may belong to another board.
  const set = Object.keys(settings).map((_, place) => `set_config($${2 * place + 1}, $${2 * place + 2}, true)`);
  await query(`select ${set.join(', ')}`, Object.entries(settings).flat());
}

function toQuery(vector: Float32Array, { distance }: EmbeddingSettings): string {
  return toVectorText(toKeptVector(vector, distance));
}

function toHit({ id, position, score }: HitRow): SearchHit {
  return { chunkId: chunkId(id, position), score };
}
