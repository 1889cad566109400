import type { SQLInputValue } from 'node:sqlite';
import type { DocumentFilter } from '../../vector-store.ts';
import { fixedPrefix, isPattern, readPathFilter } from '../match-path.ts';
import type { Connection, Row } from './connection.ts';
import { joinRanges, type NumberRanges } from './number-ranges.ts';

/** The condition for a filter, with the values to bind. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const LAST_CHARACTER = '\u{10ffff}';

/** The documents a filter means, as rows in the order of their ids. */
export function selectDocuments(connection: Connection, selection: DocumentSelection): Row[] {
  const { collection, filter = {}, after, limit } = selection;
  const { sql, values } = toCondition(collection, filter);
  const pattern = toPattern(filter);
  const found: Row[] = [];
  let last = after;
  // A pattern is checked here, so that a page may need several reads.
  for (;;) {
    const [more, bound] = last === undefined ? ['', []] : ['and id > ?', [last]];
    const page = connection.all(
      `select * from documents where ${sql} ${more} order by id limit ?`,
      ...values,
      ...bound,
      limit,
    );
    found.push(...(pattern === undefined ? page : page.filter(({ path }) => pattern(toText(path)))));
    if (page.length < limit || found.length >= limit) return found.slice(0, limit);
    last = String(page.at(-1)?.['id']);
  }
}

/** The numbers of all chunks a filter means; `undefined` when it means every one. */
export function selectNumbers(
  connection: Connection,
  collection: number,
  filter: DocumentFilter | undefined,
): NumberRanges | undefined {
  const { sql, values } = toCondition(collection, filter ?? {});
  if (filter === undefined || values.length === 1) return undefined;
  const pattern = toPattern(filter);
  if (pattern !== undefined) {
    const rows = connection.all(`select first, count, path from documents where ${sql} order by first`, ...values);
    const meant = rows.filter(({ path }) => pattern(toText(path)));
    return joinRanges(meant.map(({ first, count }) => [Number(first), Number(count)]));
  }
  // One text instead of a row for each document: ten times as fast when there are many.
  const row = connection.get(
    `select group_concat(first || ' ' || count) as list from
      (select first, count from documents where ${sql} order by first)`,
    ...values,
  );
  return joinRanges(readPairs(toText(row?.['list'] ?? null) ?? ''));
}

/** Which documents, and how many of them. */
export interface DocumentSelection {
  readonly collection: number;
  readonly filter: DocumentFilter | undefined;
  readonly after: string | undefined;
  readonly limit: number;
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
  }
  // One value however many ids there are: SQLite takes only so many.
  if (documentIds !== undefined) add('id in (select value from json_each(?))', JSON.stringify(documentIds));
  return { sql: parts.join(' and '), values };
}

function toPattern({ sourcePath }: DocumentFilter): ReturnType<typeof readPathFilter> | undefined {
  return sourcePath !== undefined && isPattern(sourcePath) ? readPathFilter(sourcePath) : undefined;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
