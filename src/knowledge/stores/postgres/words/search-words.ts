import { chunkId, type SearchHit } from '../../../vector-store.ts';
import type { NumberedScore } from '../../scoring/top-scores.ts';
import type { Database } from '../tables.ts';
import { countSelected, hasConditions, type ServerSearch, toAmong, toWhere } from '../where.ts';
import { scoreWords } from './score-words.ts';

/** Up to this many chunks of a filter are listed. Above it, the best chunks are tested against the filter instead. */
const MOST_LISTED = 20_000;
/** The margin of chunks to test. */
const MARGIN = 4;
/** The factor by which more chunks are tested if those were too few. */
const DEEPER = 8;

/** Finds the chunks that match a text best, by BM25 with the same formula as the other stores. */
export async function searchWords(
  database: Database,
  search: ServerSearch & { readonly text: string; readonly signal: AbortSignal | undefined },
): Promise<SearchHit[]> {
  const { collection, filter, among, limit, text, signal } = search;
  const scope = { collection, text, signal };
  if (among !== undefined || hasConditions(filter)) {
    const selected = among === undefined ? await countSelected(database, search, MOST_LISTED) : 0;
    if (selected <= MOST_LISTED) {
      const only = await listSelected(database, search);
      return toHits(database, search, await scoreWords(database, { ...scope, only, limit }));
    }
    for (let depth = Math.ceil((limit * MARGIN * collection.chunks) / selected); ; depth *= DEEPER) {
      const best = await scoreWords(database, { ...scope, only: undefined, limit: Math.min(depth, collection.chunks) });
      const hits = await toHits(database, search, best);
      if (hits.length >= limit || depth >= collection.chunks) return hits;
    }
  }
  return toHits(database, search, await scoreWords(database, { ...scope, only: undefined, limit }));
}

/** Lists the keys of all selected chunks. */
async function listSelected(
  { query, tables }: Database,
  { collection, filter, among }: ServerSearch,
): Promise<number[]> {
  const values: unknown[] = [collection.key];
  const where = `${toWhere(filter, values)} and ${toAmong(among, values)}`;
  const rows = await query<{ key: string }>(
    `select c.key from ${tables.documents} d join ${tables.chunks} c on c.document = d.key
      where d.collection = $1 and ${where}`,
    values,
  );
  return rows.map(({ key }) => Number(key));
}

/** Chunks tested with one statement. */
const PAGE = 2_000;

/** Returns the ids and scores of the best chunks that the filter selects. */
async function toHits(
  { query, tables }: Database,
  { filter, limit }: ServerSearch,
  scores: readonly NumberedScore[],
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let from = 0; from < scores.length && hits.length < limit; from += PAGE) {
    const page = scores.slice(from, from + PAGE);
    const values: unknown[] = [page.map(({ key }) => key)];
    const rows = await query<{ key: string; id: string; position: number }>(
      `select c.key, d.id, c.position from ${tables.chunks} c join ${tables.documents} d on d.key = c.document
        where c.key = any($1::bigint[]) and ${toWhere(filter, values)}`,
      values,
    );
    const found = new Map(rows.map(({ key, id, position }) => [Number(key), chunkId(id, position)]));
    for (const { key, score } of page) {
      const id = found.get(key);
      if (id !== undefined) hits.push({ chunkId: id, score });
    }
  }
  return hits.slice(0, limit);
}
