import { inverseFrequency, weighWord } from '../../lexical/bm25.ts';
import { countTerms, readTerms } from '../../lexical/read-terms.ts';
import type { Connection } from './connection.ts';
import { type NumberRanges, isInRanges } from './number-ranges.ts';
import { BLOCK_SIZE, createPostings, decodeBlock, encodeBlock, type Postings } from './posting-block.ts';
import { ScorePages } from './score-pages.ts';
import { TopScores } from './top-scores.ts';

/** A chunk's number and the words it has. */
export interface NumberedWords {
  readonly number: number;
  readonly terms: readonly string[];
}

const LAST_BLOCK = 'select first, block from postings where collection = ? and term = ? order by first desc limit 1';
const BLOCK_WITH =
  'select first, block from postings where collection = ? and term = ? and first <= ? order by first desc limit 1';
const PUT_BLOCK = 'insert or replace into postings values (?, ?, ?, ?)';
const DROP_BLOCK = 'delete from postings where collection = ? and term = ? and first = ?';
/** A block with fewer entries is joined with the one before it. */
const SMALL_BLOCK = BLOCK_SIZE / 4;

/** Adds chunks to the lists of their words. Their numbers are above all that were added before. */
export function addPostings(connection: Connection, collection: number, chunks: readonly NumberedWords[]): void {
  const lists = new Map<string, Postings>();
  for (const { number, terms } of chunks) {
    for (const [term, count] of countTerms(terms)) {
      let list = lists.get(term);
      if (list === undefined) lists.set(term, (list = createPostings()));
      list.numbers.push(number);
      list.counts.push(count);
      list.lengths.push(terms.length);
    }
  }
  // In the order of the table's key, so that neighbouring pages are written together.
  for (const term of [...lists.keys()].toSorted()) {
    const list = lists.get(term) ?? createPostings();
    const last = connection.get(LAST_BLOCK, collection, term);
    const joined = createPostings();
    if (last !== undefined) decodeBlock(toBytes(last['block']), Number(last['first']), joined);
    if (joined.numbers.length >= BLOCK_SIZE) writeBlocks(connection, { collection, term, list });
    else writeBlocks(connection, { collection, term, list: append(joined, list) });
  }
}

/** Takes chunks out of the lists of their words. */
export function removePostings(connection: Connection, collection: number, chunks: readonly NumberedWords[]): void {
  const gone = new Map<string, number[]>();
  for (const { number, terms } of chunks) {
    for (const term of new Set(terms)) {
      const numbers = gone.get(term);
      if (numbers === undefined) gone.set(term, [number]);
      else numbers.push(number);
    }
  }
  for (const term of [...gone.keys()].toSorted()) {
    const numbers = new Set(gone.get(term));
    for (const number of numbers) removeOne(connection, { collection, term, number, gone: numbers });
  }
}

/** Reads the words of a whole collection anew, because they are read otherwise now. Runs inside a transaction. */
export function rebuildPostings(connection: Connection, collection: number, version: number): void {
  connection.run('delete from postings where collection = ?', collection);
  let words = 0;
  for (let last = 0; ;) {
    const rows = connection.all(
      `select number, text from documents join chunks on number >= first and number < first + count
        where collection = ? and number > ? order by number limit 1000`,
      collection,
      last,
    );
    const chunks = rows.map(({ number, text }) => ({ number: Number(number), terms: readTerms(String(text)) }));
    addPostings(connection, collection, chunks);
    words += chunks.reduce((sum, { terms }) => sum + terms.length, 0);
    if (rows.length < 1_000) break;
    last = chunks.at(-1)?.number ?? last;
  }
  connection.run('update collections set words = ?, terms = ? where key = ?', words, version, collection);
}

/** Where words are looked for, and how many texts with how many words there are. */
export interface WordScope {
  readonly collection: number;
  readonly chunks: number;
  readonly words: number;
  readonly allowed: NumberRanges | undefined;
  readonly limit: number;
}

/** The chunks that match a text best, by BM25. */
export function searchPostings(
  connection: Connection,
  text: string,
  scope: WordScope,
): { key: number; score: number }[] {
  const scores = new ScorePages();
  const averageLength = scope.words / Math.max(1, scope.chunks);
  for (const [term, repeats] of countTerms(readTerms(text))) {
    const list = createPostings();
    const blocks = connection.all(
      'select first, block from postings where collection = ? and term = ? order by first',
      scope.collection,
      term,
    );
    for (const { first, block } of blocks) decodeBlock(toBytes(block), Number(first), list);
    const weight = repeats * inverseFrequency(list.numbers.length, scope.chunks);
    for (const [place, number] of list.numbers.entries()) {
      const relativeLength = (list.lengths[place] ?? 0) / averageLength;
      scores.add(number, weight * weighWord(list.counts[place] ?? 0, relativeLength));
    }
  }
  const best = new TopScores(scope.limit);
  scores.forEach((number, score) => {
    if (score >= best.threshold && (scope.allowed === undefined || isInRanges(scope.allowed, number))) {
      best.add(number, score);
    }
  });
  return best.sorted();
}

interface TermList {
  readonly collection: number;
  readonly term: string;
  readonly list: Postings;
}

function writeBlocks(connection: Connection, { collection, term, list }: TermList): void {
  for (let from = 0; from < list.numbers.length; from += BLOCK_SIZE) {
    const to = Math.min(list.numbers.length, from + BLOCK_SIZE);
    connection.run(PUT_BLOCK, collection, term, list.numbers[from] ?? 0, encodeBlock(list, from, to));
  }
}

/** Rewrites the block that has a number, without any of those that go; a block that gets small joins the one before. */
function removeOne(
  connection: Connection,
  { collection, term, number, gone }: { collection: number; term: string; number: number; gone: Set<number> },
): void {
  const row = connection.get(BLOCK_WITH, collection, term, number);
  if (row === undefined) return;
  const first = Number(row['first']);
  const list = createPostings();
  decodeBlock(toBytes(row['block']), first, list);
  const kept = without(list, gone);
  for (const found of list.numbers) gone.delete(found);
  connection.run(DROP_BLOCK, collection, term, first);
  if (kept.numbers.length === 0) return;
  const before = kept.numbers.length < SMALL_BLOCK ? connection.get(BLOCK_WITH, collection, term, first) : undefined;
  if (before === undefined) {
    writeBlocks(connection, { collection, term, list: kept });
    return;
  }
  const joined = createPostings();
  decodeBlock(toBytes(before['block']), Number(before['first']), joined);
  writeBlocks(connection, { collection, term, list: append(joined, kept) });
}

function append(list: Postings, more: Postings): Postings {
  return {
    numbers: [...list.numbers, ...more.numbers],
    counts: [...list.counts, ...more.counts],
    lengths: [...list.lengths, ...more.lengths],
  };
}

function without({ numbers, counts, lengths }: Postings, gone: ReadonlySet<number>): Postings {
  const places = [...numbers.keys()].filter((place) => !gone.has(numbers[place] ?? 0));
  const pick = (column: readonly number[]): number[] => places.map((place) => column[place] ?? 0);
  return { numbers: pick(numbers), counts: pick(counts), lengths: pick(lengths) };
}

function toBytes(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}
