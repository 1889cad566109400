import { runInTurns } from '../../../../tool/run-in-turns.ts';
import {
  BLOCK_SIZE,
  decodeBlock,
  encodeBlock,
  ENTRY,
  type PostingBlock,
  type Postings,
  toBlocks,
} from '../../scoring/posting-block.ts';
import type { Database } from '../tables.ts';

/** A part of a word's list, stored in one row. */
interface WordBlock extends PostingBlock {
  readonly term: string;
}

/** The chunks that contain each word. */
type WordLists = ReadonlyMap<string, Postings>;

/** A block with fewer entries is joined with the previous one. */
const SMALL_BLOCK = BLOCK_SIZE / 4;
const ROWS_A_STATEMENT = 10_000;

/**
 * Adds chunks to the lists of their words. Their keys are higher than all earlier ones, because writers of a collection
 * take turns. Runs inside a transaction that has locked the collection.
 */
export async function addWords({ query, tables }: Database, collection: number, lists: WordLists): Promise<void> {
  const terms = [...lists.keys()].toSorted();
  const ends = await query<{ term: string; first: string; last: string; count: number }>(
    `select t.term, w.first, w.last, w.count from unnest($2::text[]) as t (term) cross join lateral (
      select first, last, count from ${tables.words} where collection = $1 and term = t.term order by first desc limit 1) w`,
    [collection, terms],
  );
  const endOf = new Map(ends.map((end) => [end.term, end]));
  const { more, added } = await runInTurns(cutLists(lists, (term) => endOf.get(term)));
  for (const rows of inParts(more)) {
    // Appends without reading the stored bytes.
    await query(
      `update ${tables.words} w set last = r.last, count = w.count + r.count, block = w.block || r.block
        from ${ROWS} where w.collection = $1 and w.term = r.term and w.first = r.first`,
      [collection, ...toColumns(rows)],
    );
  }
  await insertBlocks({ query, tables }, collection, added);
}

/** Removes chunks from the lists of their words. Runs inside a transaction that has locked the collection. */
export async function removeWords({ query, tables }: Database, collection: number, gone: WordLists): Promise<void> {
  const entries = [...gone].flatMap(([term, list]) => keysOf(list).map((key) => ({ term, key })));
  for (const part of inParts(entries)) {
    // Also reads the previous block, which a small block is joined to.
    const rows = await query<{ term: string; first: string; block: Uint8Array }>(
      `select distinct g.term, w.first, w.block from unnest($2::text[], $3::bigint[]) as g (term, key)
        cross join lateral (select first, block from ${tables.words} where collection = $1 and term = g.term
          and first <= g.key order by first desc limit 2) w`,
      [collection, part.map(({ term }) => term), part.map(({ key }) => key)],
    );
    const goneOf = Map.groupBy(part, ({ term }) => term);
    const replaced: { term: string; first: number }[] = [];
    const kept: WordBlock[] = [];
    for (const [term, blocks] of Map.groupBy(rows, (row) => row.term)) {
      const keys = new Set(goneOf.get(term)?.map(({ key }) => key));
      const changed = withoutKeys(blocks, keys);
      replaced.push(...changed.flatMap(({ firsts }) => firsts.map((first) => ({ term, first }))));
      kept.push(...changed.flatMap(({ list }) => withTerm(term, toBlocks(list))));
    }
    await query(
      `delete from ${tables.words} w using unnest($2::text[], $3::bigint[]) as r (term, first)
        where w.collection = $1 and w.term = r.term and w.first = r.first`,
      [collection, replaced.map(({ term }) => term), replaced.map(({ first }) => first)],
    );
    await insertBlocks({ query, tables }, collection, kept);
  }
}

/** Returns the blocks that change without these keys: the first keys of the blocks to delete, and the list that replaces them. */
function withoutKeys(
  rows: readonly { readonly first: string; readonly block: Uint8Array }[],
  gone: ReadonlySet<number>,
): { readonly firsts: number[]; readonly list: Postings }[] {
  const changed: { firsts: number[]; list: Postings }[] = [];
  let before: { firsts: number[]; list: Postings; isChanged: boolean } | undefined;
  const settle = (): void => {
    if (before?.isChanged === true) changed.push(before);
  };
  for (const row of rows.toSorted((a, b) => Number(a.first) - Number(b.first))) {
    const all: Postings = [];
    decodeBlock(row.block, Number(row.first), all);
    const list: Postings = [];
    for (let place = 0; place < all.length; place += ENTRY)
      if (!gone.has(all[place] ?? 0)) list.push(...all.slice(place, place + ENTRY));
    const isChanged = list.length < all.length;
    if (before !== undefined && isChanged && list.length < SMALL_BLOCK * ENTRY) {
      before = { firsts: [...before.firsts, Number(row.first)], list: [...before.list, ...list], isChanged: true };
    } else {
      settle();
      before = { firsts: [Number(row.first)], list, isChanged };
    }
  }
  settle();
  return changed;
}

interface LastBlock {
  readonly first: string;
  readonly last: string;
  readonly count: number;
}

/** Splits lists into the part that fits into the last block of each word, and new blocks. */
function* cutLists(
  lists: WordLists,
  endOf: (term: string) => LastBlock | undefined,
): Generator<void, { readonly more: WordBlock[]; readonly added: WordBlock[] }> {
  const more: WordBlock[] = [];
  const added: WordBlock[] = [];
  for (const [term, list] of lists) {
    const end = endOf(term);
    const room = end === undefined ? 0 : Math.max(0, Math.min(BLOCK_SIZE - end.count, list.length / ENTRY));
    if (end !== undefined && room > 0) {
      const block = encodeBlock(list, { from: 0, to: room, base: Number(end.last) });
      more.push({ term, first: Number(end.first), last: list[(room - 1) * ENTRY] ?? 0, count: room, block });
    }
    added.push(...withTerm(term, toBlocks(list, room)));
    yield;
  }
  return { more, added };
}

function withTerm(term: string, blocks: readonly PostingBlock[]): WordBlock[] {
  return blocks.map((block) => ({ term, ...block }));
}

const ROWS =
  'unnest($2::text[], $3::bigint[], $4::bigint[], $5::integer[], $6::bytea[]) as r (term, first, last, count, block)';

function toColumns(rows: readonly WordBlock[]): unknown[] {
  return [
    rows.map(({ term }) => term),
    rows.map(({ first }) => first),
    rows.map(({ last }) => last),
    rows.map(({ count }) => count),
    // Inside lists, the driver accepts bytes only as buffers.
    rows.map(({ block }) => Buffer.from(block.buffer, block.byteOffset, block.byteLength)),
  ];
}

async function insertBlocks(
  { query, tables }: Database,
  collection: number,
  blocks: readonly WordBlock[],
): Promise<void> {
  for (const rows of inParts(blocks)) {
    await query(`insert into ${tables.words} (collection, term, first, last, count, block) select $1, * from ${ROWS}`, [
      collection,
      ...toColumns(rows),
    ]);
  }
}

function keysOf(list: Postings): number[] {
  return list.filter((_, place) => place % ENTRY === 0);
}

function* inParts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) yield rows.slice(from, from + ROWS_A_STATEMENT);
}
