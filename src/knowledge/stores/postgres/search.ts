import { weighTerms } from '../../../text/read-terms.ts';
import { chunkId, type DocumentFilter, type EmbeddingSettings, type SearchHit } from '../../vector-store.ts';
import { toKeptVector } from '../nearness.ts';
import type { CollectionRow } from './collections.ts';
import { type Database, OPERATORS } from './tables.ts';
import { hasConditions, toAmong, toWhere } from './where.ts';
import { toVectorText } from './write.ts';

interface HitRow {
  id: string;
  position: number;
  score: number;
}

/** What is looked for in which collection. */
export interface ServerSearch {
  readonly collection: CollectionRow;
  readonly filter: DocumentFilter | undefined;
  readonly among: readonly string[] | undefined;
  readonly limit: number;
}

/** The chunks that match a text best: BM25 in SQL, the same sum as in `text/bm25.ts`. */
export async function searchWords(
  { query, tables }: Database,
  { collection, filter, among, limit, text }: ServerSearch & { readonly text: string },
): Promise<SearchHit[]> {
  const weights = weighTerms(text);
  if (weights.size === 0) return [];
  const averageLength = collection.words / Math.max(1, collection.chunks);
  const values: unknown[] = [
    collection.key,
    [...weights.keys()],
    [...weights.values()],
    collection.chunks,
    averageLength,
    limit,
  ];
  const where = `${toWhere(filter, values)} and ${toAmong(among, values)}`;
  // How many chunks have a word is counted before the filter takes any away: a word is as rare as it is.
  const rows = await query<HitRow>(
    `with asked as (select * from unnest($2::text[], $3::float8[]) as a (term, weight)),
      found as (
        select p.chunk, p.count, p.length, a.weight, count(*) over (partition by p.term) as spread
          from ${tables.postings} p join asked a on p.term = a.term where p.collection = $1),
      scored as (
        select chunk, sum(weight * ln(1 + ($4::float8 - spread + 0.5) / (spread + 0.5)) * (count * 2.2)
          / (count + 1.2 * (0.25 + 0.75 * length / $5::float8))) as score from found group by chunk)
      select d.id, c.position, s.score from scored s
        join ${tables.chunks} c on c.key = s.chunk join ${tables.documents} d on d.key = c.document
        where ${where} order by s.score desc, s.chunk limit $6`,
    values,
  );
  return rows.map(toHit);
}

/** Up to so many vectors are all compared; more are searched through the index, which may miss one now and then. */
const MAX_EXACT = 10_000;

/** The chunks whose vectors are nearest. Runs inside a transaction, whose settings it changes. */
export async function searchVectors(
  database: Database,
  search: ServerSearch & { readonly vector: Float32Array; readonly embedding: EmbeddingSettings },
): Promise<SearchHit[]> {
  const { query, tables } = database;
  const { collection, filter, among, limit, embedding } = search;
  const vector = toVectorText(toKeptVector(search.vector, embedding.distance));
  if (collection.chunks > MAX_EXACT && among === undefined && !(await isNarrow(database, search))) {
    await query(`select set_config('hnsw.ef_search', $1, true)`, [String(Math.min(1_000, Math.max(100, limit * 2)))]);
    // From version 0.8 on the index goes on until the filter has let enough through.
    if (hasConditions(filter)) await query(`select set_config('hnsw.iterative_scan', 'strict_order', true)`);
  } else await query('set local enable_indexscan = off');
  const values: unknown[] = [collection.key, vector, limit];
  const where = `${toWhere(filter, values)} and ${toAmong(among, values)}`;
  const { operator, score } = OPERATORS[embedding.distance];
  const rows = await query<HitRow>(
    `select id, position, ${score} as score from (
      select d.id, c.position, c.key, ${toOperand(embedding)} ${operator} $2::${toType(embedding)} as distance
        from ${tables.vectors(collection.key)} v
        join ${tables.chunks} c on c.key = v.chunk join ${tables.documents} d on d.key = c.document
        where d.collection = $1 and ${where} order by distance limit $3) as nearest order by score desc, key`,
    values,
  );
  return rows.map(toHit);
}

/** What an index is made of: pgvector indexes up to 2,000 numbers, twice as many at half the precision. */
export function toIndexed({ dimension }: EmbeddingSettings): 'vector' | 'halfvec' | undefined {
  if (dimension <= 2_000) return 'vector';
  return dimension <= 4_000 ? 'halfvec' : undefined;
}

function toType(embedding: EmbeddingSettings): string {
  return `${toIndexed(embedding) ?? 'vector'}(${embedding.dimension})`;
}

function toOperand(embedding: EmbeddingSettings): string {
  return toIndexed(embedding) === 'halfvec' ? `v.vector::${toType(embedding)}` : 'v.vector';
}

/** Whether a filter leaves so few chunks that all their vectors can be compared. */
async function isNarrow({ query, tables }: Database, { collection, filter }: ServerSearch): Promise<boolean> {
  if (!hasConditions(filter)) return false;
  const values: unknown[] = [collection.key];
  const where = toWhere(filter, values);
  const [row] = await query<{ chunks: string | null }>(
    `select sum(count) as chunks from (select count from ${tables.documents} d
      where d.collection = $1 and ${where} limit ${MAX_EXACT + 1}) as meant`,
    values,
  );
  return Number(row?.chunks ?? 0) <= MAX_EXACT;
}

function toHit({ id, position, score }: HitRow): SearchHit {
  return { chunkId: chunkId(id, position), score };
}
