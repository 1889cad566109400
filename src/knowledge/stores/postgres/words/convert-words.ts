import type { Postings } from '../../scoring/posting-block.ts';
import type { Database } from '../tables.ts';
import { addLists } from './write-words.ts';

/** The statement that makes the table of words. */
export function wordsTable(words: string): string {
  // The last block of each word grows with most writes: room on its page keeps that from touching the key's index.
  return `create table ${words} (
    collection integer not null, term text collate "C" not null, first bigint not null, last bigint not null,
    count integer not null, block bytea not null, primary key (collection, term, first)) with (fillfactor = 80)`;
}

interface PostingRow {
  collection: number;
  term: string;
  chunk: string;
  count: number;
  length: number;
}

const ROWS_A_PAGE = 50_000;

/** Turns words with a row for each chunk, as the first shape of the tables had them, into blocks. Runs inside a transaction. */
export async function convertWords({ query, tables }: Database): Promise<void> {
  // A process of an earlier version that still runs would add rows that nothing reads any more.
  await query(`lock table ${tables.postings} in access exclusive mode`);
  await query(wordsTable(tables.words));
  await query(`declare old no scroll cursor for select * from ${tables.postings} order by collection, term, chunk`);
  for (;;) {
    const rows = await query<PostingRow>(`fetch ${ROWS_A_PAGE} from old`);
    for (const [collection, own] of Map.groupBy(rows, (row) => row.collection)) {
      const lists = new Map<string, Postings>();
      for (const { term, chunk, count, length } of own) {
        const list = lists.get(term);
        if (list === undefined) lists.set(term, [Number(chunk), count, length]);
        else list.push(Number(chunk), count, length);
      }
      await addLists({ query, tables }, collection, lists);
    }
    if (rows.length < ROWS_A_PAGE) break;
  }
  await query('close old');
  await query(`drop table ${tables.postings}`);
}
