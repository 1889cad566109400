import { chunkId, type EmbeddingSettings, type SearchHit } from '../../../vector-store.ts';
import { toKeptVector } from '../../nearness.ts';
import { countMeant, type ServerSearch } from '../scope.ts';
import { type Database, OPERATORS } from '../tables.ts';
import { hasConditions, toAmong, toWhere } from '../where.ts';
import { toVectorText } from '../write.ts';
import { ITERATIVE_SCANS, type VectorIndex } from './vector-index.ts';

/** A search by a vector, with what the server has for it. */
export interface VectorSearch extends ServerSearch {
  readonly vector: Float32Array;
  readonly embedding: EmbeddingSettings;
  /** The index that can be used. */
  readonly index: VectorIndex | undefined;
  /** The version of pgvector, as `readPgvector` gives it. */
  readonly pgvector: number | undefined;
  /** Up to so many vectors are all compared. */
  readonly exactUpTo: number;
}

interface HitRow {
  id: string;
  position: number;
  score: number;
}

/** Entries of the index that are looked at for each one that is wanted, beyond what a filter takes away. */
const MARGIN = 4;
/** Vectors compared in the time that one entry of the index takes, with the question whether the filter means it. */
const EXACT_PER_ENTRY = 6;
/** What pgvector takes for the width of a search. */
const WIDEST = 1_000;
/** Where a scan gives up: by then it would have been quicker to compare what the filter means. */
const MOST_SCANNED = 400_000;

/** The chunks whose vectors are nearest. Runs inside a transaction, whose settings it changes. */
export async function searchVectors(database: Database, search: VectorSearch): Promise<SearchHit[]> {
  const { collection, filter, among, limit, index, exactUpTo } = search;
  if (index === undefined || among !== undefined || collection.chunks <= exactUpTo) return compareAll(database, search);
  if (!hasConditions(filter)) return scanIndex(database, search, { index, share: 1 });
  // Where few are meant comparing all of them is quicker than finding them among the others, and misses none.
  const few = Math.max(exactUpTo, Math.ceil(Math.sqrt(EXACT_PER_ENTRY * limit * collection.chunks)));
  const meant = await countMeant(database, search, few);
  if (meant <= few) return compareAll(database, search);
  const share = meant / collection.chunks;
  if ((search.pgvector ?? 0) < ITERATIVE_SCANS && (limit * MARGIN) / share > WIDEST)
    return compareAll(database, search);
  const hits = await scanIndex(database, search, { index, share });
  // More are meant than are wanted: the scan ended before it came to them.
  return hits.length < limit ? compareAll(database, search) : hits;
}

/** Compares every vector that is meant. */
async function compareAll(
  { query, tables }: Database,
  { collection, filter, among, limit, embedding, vector }: VectorSearch,
): Promise<SearchHit[]> {
  const values: unknown[] = [toQuery(vector, embedding), limit];
  const { operator, score } = OPERATORS[embedding.distance];
  // Not the operator alone: no index, which might miss one, can give this order.
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

/** Asks the index, which may miss one now and then. Those that it finds are compared exactly. */
async function scanIndex(
  { query, tables }: Database,
  { collection, filter, limit, embedding, vector, pgvector = 0 }: VectorSearch,
  { index, share }: { readonly index: VectorIndex; readonly share: number },
): Promise<SearchHit[]> {
  const needed = Math.ceil((limit * MARGIN) / share);
  const isIterative = pgvector >= ITERATIVE_SCANS;
  // A scan that goes on by itself can begin with what it needs without a filter.
  const width = Math.min(WIDEST, Math.max(100, isIterative ? limit * 2 : needed));
  const settings: Readonly<Record<string, string>> = {
    // Whatever the statistics say of a table that was just filled.
    enable_seqscan: 'off',
    'hnsw.ef_search': String(width),
    ...(isIterative && {
      // Those that come out of order are put into it below.
      'hnsw.iterative_scan': 'relaxed_order',
      'hnsw.max_scan_tuples': String(Math.min(MOST_SCANNED, Math.max(20_000, needed))),
      'hnsw.scan_mem_multiplier': '16',
    }),
  };
  // For this transaction alone: behind PgBouncer the next one may be another board's.
  const set = Object.keys(settings).map((_, place) => `set_config($${2 * place + 1}, $${2 * place + 2}, true)`);
  await query(`select ${set.join(', ')}`, Object.entries(settings).flat());
  const values: unknown[] = [toQuery(vector, embedding), limit, Math.ceil(limit * 1.2)];
  const { operator, score } = OPERATORS[embedding.distance];
  const type = `${index.precision}(${embedding.dimension})`;
  const operand = index.precision === 'vector' ? 'v.vector' : `v.vector::${type}`;
  // A subquery for each entry, never joined: only so do entries come in the order of the index, as many as are needed.
  const where = hasConditions(filter)
    ? `(select ${toWhere(filter, values)} from ${tables.chunks} c join ${tables.documents} d on d.key = c.document
        where c.key = v.chunk)`
    : 'true';
  const rows = await query<HitRow>(
    `select d.id, c.position, ${score} as score from (
      select v.chunk, v.vector ${operator} $1::vector(${embedding.dimension}) as distance
        from ${tables.vectors(collection.key)} v where ${where}
        order by ${operand} ${operator} $1::${type} limit $3) as nearest
      join ${tables.chunks} c on c.key = nearest.chunk join ${tables.documents} d on d.key = c.document
      order by distance, chunk limit $2`,
    values,
  );
  return rows.map(toHit);
}

function toQuery(vector: Float32Array, { distance }: EmbeddingSettings): string {
  return toVectorText(toKeptVector(vector, distance));
}

function toHit({ id, position, score }: HitRow): SearchHit {
  return { chunkId: chunkId(id, position), score };
}
