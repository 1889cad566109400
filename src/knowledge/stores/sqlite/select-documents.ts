import type { SQLInputValue } from 'node:sqlite';
import type { DocumentFilter } from '../../vector-store.ts';
import { fixedPrefix, isPattern } from '../match-path.ts';
import type { Row, Statements } from './connection.ts';
import { joinRanges, type NumberRanges } from './number-ranges.ts';
import type { CollectionRow } from './collection-row.ts';

const MOST = 16;

/** The condition for a filter, with the values to bind. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** Which documents, and how many of them. */
export interface DocumentSelection {
  readonly collection: number;
  readonly filter: DocumentFilter | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

const LAST_CHARACTER = '\u{10ffff}';

/** The documents a filter means, as rows in the order of their ids. */
export function selectDocuments(connection: Statements, selection: DocumentSelection): Row[] {
  const { collection, filter = {}, after, limit } = selection;
  const { sql, values } = toCondition(collection, filter);
  const [more, bound] = after === undefined ? ['', []] : ['and id > ?', [after]];
  const order = `${more} order by id limit ?`;
  return connection.all(`select * from documents where ${sql} ${order}`, ...values, ...bound, limit);
}

/** The numbers of all chunks a filter means; `undefined` when it means every one. */
function selectNumbers(
  connection: Statements,
  collection: number,
  filter: DocumentFilter | undefined,
): NumberRanges | undefined {
  const { sql, values } = toCondition(collection, filter ?? {});
  if (values.length === 1) return undefined;
  // One text instead of a row for each document: ten times as fast when there are many.
  const row = connection.get(
    `select group_concat(first || ' ' || count) as list from
      (select first, count from documents where ${sql} order by first)`,
    ...values,
  );
  const list = row?.['list'];
  return joinRanges(readPairs(typeof list === 'string' ? list : ''));
}

function* readPairs(list: string): Generator<[number, number]> {
  if (list === '') return;
  for (const pair of list.split(',')) {
    const space = pair.indexOf(' ');
    yield [Number(pair.slice(0, space)), Number(pair.slice(space + 1))];
  }
}

function toCondition(collection: number, { type, tags = [], sourcePath, documentIds }: DocumentFilter): Condition {
  const parts = ['collection = ?'];
  const values: SQLInputValue[] = [collection];
  const add = (sql: string, ...more: SQLInputValue[]): void => {
    parts.push(sql);
    values.push(...more);
  };
  if (type !== undefined) add('type = ?', type);
  for (const tag of tags) add('key in (select document from tags where collection = ? and tag = ?)', collection, tag);
  if (sourcePath !== undefined) {
    const prefix = fixedPrefix(sourcePath);
    if (!isPattern(sourcePath) && !sourcePath.endsWith('/')) add('path = ?', sourcePath);
    else add('path >= ? and path < ?', prefix, prefix + LAST_CHARACTER);
    if (isPattern(sourcePath)) add('path_matches(?, path)', sourcePath);
  }
  // One value however many ids there are: SQLite takes only so many.
  if (documentIds !== undefined) add('id in (select value from json_each(?))', JSON.stringify(documentIds));
  return { sql: parts.join(' and '), values };
}

/** The chunks that the last filters selected, until the next write: the same few filters come again and again. */
export class FilterCache {
  readonly #known = new Map<string, NumberRanges | undefined>();

  /** The numbers of all chunks a filter means; `undefined` when it means every one. Runs inside a read. */
  select(connection: Statements, { key, version }: CollectionRow, filter: DocumentFilter): NumberRanges | undefined {
    const name = JSON.stringify([key, version, filter]);
    if (this.#known.has(name)) return this.#known.get(name);
    const ranges = selectNumbers(connection, key, filter);
    const oldest = this.#known.size < MOST ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, ranges);
    return ranges;
  }
}
