import { inverseFrequency, weighTerms, weighWord } from '../../../../text/read-terms.ts';
import { runInTurns } from '../../../../tool/run-in-turns.ts';
import { decodeBlock, ENTRY, type Postings } from '../../scoring/posting-block.ts';
import { ScorePages } from '../../scoring/score-pages.ts';
import { type NumberedScore, TopScores } from '../../scoring/top-scores.ts';
import type { CollectionRow } from '../collections.ts';
import type { Database } from '../tables.ts';

/** The chunks to score, and the number of hits wanted. */
export interface WordScope {
  readonly collection: CollectionRow;
  readonly text: string;
  /** Keys of the only chunks to score. Default: all. */
  readonly only: readonly number[] | undefined;
  /** The number of best chunks that must be exact; the scores of others may lack common words. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
  readonly reading?: ListReading;
}

/** Costs of reading the lists of words. */
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
  const selected = known === undefined ? undefined : new Set(known);
  const weights = new Map(group.map(({ term, weight }) => [term, weight]));
  return function* score(rows) {
    for (const { term, first, block } of rows) {
      const weight = weights.get(term) ?? 0;
      const list: Postings = [];
      decodeBlock(block, Number(first), list);
      for (let place = 0; place < list.length; place += ENTRY) {
        const key = list[place] ?? 0;
        if (selected !== undefined && !selected.has(key)) continue;
        const relativeLength = (list[place + 2] ?? 0) / averageLength;
        scores.add(key, weight * weighWord(list[place + 1] ?? 0, relativeLength));
      }
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
