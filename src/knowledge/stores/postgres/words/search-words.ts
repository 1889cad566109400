import { chunkId, type SearchHit } from '../../../vector-store.ts';
import { type NumberedScore, ScorePages, TopScores } from '../../scoring/top-scores.ts';
import { countSelected, hasConditions, type ServerSearch, toAmong, toWhere } from '../read.ts';
import { inverseFrequency, weighTerms } from '../../../../text/read-terms.ts';
import { runInTurns } from '../../../../tool/run-in-turns.ts';
import { decodeBlock, type Postings } from '../../scoring/posting-block.ts';
import type { CollectionRow, Database } from '../tables.ts';

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

/** The chunks to score, and the number of hits wanted. */
interface WordScope {
  readonly collection: CollectionRow;
  readonly text: string;
  /** Keys of the only chunks to score. Default: all. */
  readonly only: readonly number[] | undefined;
  /** The number of best chunks that must be exact; the scores of others may lack common words. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
  readonly reading?: ListReading;
}

interface ListReading {
  /** Blocks read with one statement. Default: 4,000, about two megabytes. */
  readonly page: number;
  /** Up to this many blocks, reading all is faster than selecting the needed ones. Default: 500. */
  readonly few: number;
  /** The cost of reading a block by key, in blocks read in sequence. Default: 4. */
  readonly lookup: number;
}

interface AskedTerm {
  readonly term: string;
  /** The number of chunks that contain it. */
  readonly spread: number;
  readonly blocks: number;
  readonly weight: number;
}

interface BlockRow {
  term: string;
  first: string;
  block: Uint8Array;
}

const READING: ListReading = { page: 4_000, few: 500, lookup: 4 };
/** The upper bound of `weighWord`. */
const MOST_WEIGHT = 2.2;

/**
 * Scores chunks by BM25, rare words first. Once no chunk with only the remaining words can be among the best, their
 * lists are read only for the chunks that can. The result is the same as from reading all lists.
 */
export async function scoreWords(database: Database, scope: WordScope): Promise<NumberedScore[]> {
  const { only, limit, signal, reading = READING } = scope;
  const terms = await findTerms(database, scope);
  const averageLength = scope.collection.words / Math.max(1, scope.collection.chunks);
  const scores = new ScorePages();
  let known = only;
  let left = terms.reduce((sum, { weight }) => sum + weight * MOST_WEIGHT, 0);
  for (const group of toGroups(terms, reading.page)) {
    if (only === undefined && countBlocks(group) > reading.few) known = findContenders(scores, { limit, left });
    const take = toScorer(scores, { group, averageLength, known });
    for await (const rows of readBlocks(database, { collection: scope.collection.key, group, known, reading }))
      await runInTurns(take(rows), signal);
    left -= group.reduce((sum, { weight }) => sum + weight * MOST_WEIGHT, 0);
  }
  return bestOf(scores, limit).sorted();
}

/** Finds the query's words that the collection contains, rarest first. */
async function findTerms(
  { query, tables }: Database,
  { collection, text }: Pick<WordScope, 'collection' | 'text'>,
): Promise<AskedTerm[]> {
  const asked = weighTerms(text);
  const rows = await query<{ term: string; spread: string; blocks: string }>(
    `select term, sum(count) as spread, count(*) as blocks from ${tables.words}
      where collection = $1 and term = any($2::text[]) group by term`,
    [collection.key, [...asked.keys()]],
  );
  const found = rows.map(({ term, spread, blocks }) => ({
    term,
    spread: Number(spread),
    blocks: Number(blocks),
    weight: (asked.get(term) ?? 0) * inverseFrequency(Number(spread), collection.chunks),
  }));
  return found.toSorted((a, b) => a.spread - b.spread || (a.term < b.term ? -1 : 1));
}

/** Groups words with short lists, to read them together. */
function toGroups(terms: readonly AskedTerm[], page: number): AskedTerm[][] {
  const groups: AskedTerm[][] = [];
  for (const term of terms) {
    const last = groups.at(-1);
    if (last !== undefined && countBlocks(last) + term.blocks <= page) last.push(term);
    else groups.push([term]);
  }
  return groups;
}

function countBlocks(group: readonly AskedTerm[]): number {
  return group.reduce((sum, { blocks }) => sum + blocks, 0);
}

/** Returns the chunks that can still be among the best, or `undefined` while a chunk without a score can be one. */
function findContenders(
  scores: ScorePages,
  { limit, left }: { readonly limit: number; readonly left: number },
): readonly number[] | undefined {
  const { threshold } = bestOf(scores, limit);
  if (threshold <= left) return undefined;
  const keys: number[] = [];
  scores.forEach((key, score) => {
    if (score + left >= threshold) keys.push(key);
  });
  return keys;
}

function bestOf(scores: ScorePages, limit: number): TopScores {
  const best = new TopScores(limit);
  scores.forEach((key, score) => {
    if (score >= best.threshold) best.add(key, score);
  });
  return best;
}

/** Words whose lists are read, and the only chunks to score. Default: all chunks. */
interface WordGroup {
  readonly group: readonly AskedTerm[];
  readonly known: readonly number[] | undefined;
}

/** Adds the weights of words to the scores of chunks. Yields after each block, for `runInTurns`. */
function toScorer(
  scores: ScorePages,
  { group, known, averageLength }: WordGroup & { readonly averageLength: number },
): (rows: readonly BlockRow[]) => Generator<void, void> {
  const only = known === undefined ? undefined : new Set(known);
  const weights = new Map(group.map(({ term, weight }) => [term, weight]));
  return function* score(rows) {
    for (const { term, first, block } of rows) {
      const weight = weights.get(term) ?? 0;
      const list: Postings = [];
      decodeBlock(block, Number(first), list);
      scores.addWord(list, { weight, averageLength, only });
      yield;
    }
  };
}

/** Reads the lists of words in pages: all of them, or only the blocks that can contain the given chunks. */
async function* readBlocks(
  { query, tables }: Database,
  { collection, group, known, reading }: WordGroup & { readonly collection: number; readonly reading: ListReading },
): AsyncGenerator<BlockRow[]> {
  const terms = group.map(({ term }) => term);
  if (known !== undefined && known.length * terms.length * reading.lookup < countBlocks(group)) {
    if (known.length === 0) return;
    yield await query<BlockRow>(
      `select distinct t.term, w.first, w.block from unnest($2::text[]) as t (term) cross join unnest($3::bigint[]) as k (key)
        cross join lateral (select first, last, block from ${tables.words} where collection = $1 and term = t.term
          and first <= k.key order by first desc limit 1) w where w.last >= k.key`,
      [collection, terms, known],
    );
    return;
  }
  for (let after: BlockRow | undefined; ;) {
    const rows = await query<BlockRow>(
      `select term, first, block from ${tables.words} where collection = $1 and term = any($2::text[])
        and (term, first) > ($3, $4::bigint) order by term, first limit $5`,
      [collection, terms, after?.term ?? '', after?.first ?? -1, reading.page],
    );
    yield rows;
    if (rows.length < reading.page) return;
    after = rows.at(-1);
  }
}
