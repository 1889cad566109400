import { inverseFrequency, readTerms, weighTerms } from '../../../../text/read-terms.ts';
import {
  BLOCK_SIZE,
  ChunkWords,
  decodeBlock,
  encodeBlock,
  ENTRY,
  type Postings,
  toBlocks,
} from '../../scoring/posting-block.ts';
import { type NumberedScore, ScorePages, TopScores } from '../../scoring/top-scores.ts';
import type { Row, Statements } from '../connection.ts';
import { isInRanges, type NumberRanges } from '../read-documents.ts';

const LAST_BLOCK =
  'select first, last, count, block from postings where collection = ? and term = ? order by first desc limit 1';
const BLOCK_WITH =
  'select first, block from postings where collection = ? and term = ? and first <= ? order by first desc limit 1';
const PUT_BLOCK = 'insert or replace into postings values (?, ?, ?, ?, ?, ?)';
const DROP_BLOCK = 'delete from postings where collection = ? and term = ? and first = ?';
/** A block with fewer entries is joined with the previous one. */
const SMALL_BLOCK = BLOCK_SIZE / 4;

/** Adds chunks, numbered from `first`, to the lists of their words. The numbers are higher than all earlier ones. */
export function* addPostings(
  connection: Statements,
  collection: number,
  { words, first }: { readonly words: ChunkWords; readonly first: number },
): Generator<void, void> {
  for (const [term, list] of words.from(first)) {
    const last = connection.get(LAST_BLOCK, collection, term);
    const added = last === undefined ? 0 : fillBlock(connection, { collection, term, list }, last);
    writeBlocks(connection, { collection, term, list }, added);
    yield;
  }
}

/** Appends as much of a list to its last block as fits, without decoding the block. Returns the number of entries added. */
function fillBlock(connection: Statements, { collection, term, list }: TermList, last: Row): number {
  const count = Number(last['count']);
  const room = Math.min(BLOCK_SIZE - count, list.length / ENTRY);
  if (room <= 0) return 0;
  const before = toBytes(last['block']);
  const more = encodeBlock(list, { from: 0, to: room, base: Number(last['last']) });
  const block = new Uint8Array(before.length + more.length);
  block.set(before);
  block.set(more, before.length);
  const end = list[(room - 1) * ENTRY] ?? 0;
  connection.run(PUT_BLOCK, collection, term, Number(last['first']), end, count + room, block);
  return room;
}

export function* removePostings(connection: Statements, collection: number, words: ChunkWords): Generator<void, void> {
  for (const [term, list] of words.from()) {
    const numbers = new Set(list.filter((_, place) => place % ENTRY === 0));
    for (const number of numbers) {
      removeOne(connection, { collection, term, number, gone: numbers });
      yield;
    }
  }
}

/** Reads the words of a whole collection again, for another `TERMS_VERSION`. Runs inside a transaction. */
export function* rebuildPostings(connection: Statements, collection: number, version: number): Generator<void, void> {
  connection.run('delete from postings where collection = ?', collection);
  let count = 0;
  for (let last = 0; ;) {
    const rows = connection.all(
      `select number, text from documents join chunks on number >= first and number < first + count
        where collection = ? and number > ? order by number limit 1000`,
      collection,
      last,
    );
    const words = new ChunkWords();
    for (const { number, text } of rows) {
      words.add(Number(number), readTerms(String(text)));
      yield;
    }
    yield* addPostings(connection, collection, { words, first: 0 });
    count += words.words;
    if (rows.length < 1_000) break;
    last = Number(rows.at(-1)?.['number'] ?? last);
  }
  connection.run('update collections set words = ?, terms = ? where key = ?', count, version, collection);
}

interface WordScope {
  readonly collection: number;
  readonly chunks: number;
  readonly words: number;
  readonly allowed: NumberRanges | undefined;
  readonly limit: number;
}

export function searchPostings(connection: Statements, text: string, scope: WordScope): NumberedScore[] {
  const scores = new ScorePages();
  const averageLength = scope.words / Math.max(1, scope.chunks);
  for (const [term, asked] of weighTerms(text)) {
    const list: Postings = [];
    const blocks = connection.all(
      'select first, block from postings where collection = ? and term = ? order by first',
      scope.collection,
      term,
    );
    for (const { first, block } of blocks) decodeBlock(toBytes(block), Number(first), list);
    const weight = asked * inverseFrequency(list.length / ENTRY, scope.chunks);
    scores.addWord(list, { weight, averageLength });
  }
  const best = new TopScores(scope.limit);
  scores.forEach((number, score) => {
    if (score >= best.threshold && (scope.allowed === undefined || isInRanges(scope.allowed, number)))
      best.add(number, score);
  });
  return best.sorted();
}

interface TermList {
  readonly collection: number;
  readonly term: string;
  readonly list: Postings;
}

/** Writes the entries of a list, beginning at `from`, as new blocks. */
function writeBlocks(connection: Statements, { collection, term, list }: TermList, from = 0): void {
  for (const { first, last, count, block } of toBlocks(list, from))
    connection.run(PUT_BLOCK, collection, term, first, last, count, block);
}

/**
 * Rewrites the block that contains a number, without the removed ones. A block that becomes small is joined with the
 * previous one.
 */
function removeOne(
  connection: Statements,
  { collection, term, number, gone }: { collection: number; term: string; number: number; gone: Set<number> },
): void {
  const row = connection.get(BLOCK_WITH, collection, term, number);
  if (row === undefined) return;
  const first = Number(row['first']);
  const list: Postings = [];
  decodeBlock(toBytes(row['block']), first, list);
  const kept: Postings = [];
  for (let place = 0; place < list.length; place += ENTRY) {
    if (!gone.delete(list[place] ?? 0)) kept.push(...list.slice(place, place + ENTRY));
  }
  connection.run(DROP_BLOCK, collection, term, first);
  if (kept.length === 0) return;
  const isSmall = kept.length < SMALL_BLOCK * ENTRY;
  const before = isSmall ? connection.get(BLOCK_WITH, collection, term, first) : undefined;
  const joined: Postings = [];
  if (before !== undefined) decodeBlock(toBytes(before['block']), Number(before['first']), joined);
  joined.push(...kept);
  writeBlocks(connection, { collection, term, list: joined });
}

function toBytes(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}
