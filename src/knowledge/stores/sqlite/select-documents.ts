import type { SQLInputValue } from 'node:sqlite';
import type { DocumentFilter } from '../../vector-store.ts';
import { fixedPrefix, isPattern } from '../match-path.ts';
import type { CollectionRow, Row, Statements } from './connection.ts';

const MOST = 16;

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface DocumentSelection {
  readonly collection: number;
  readonly filter: DocumentFilter | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

const LAST_CHARACTER = '\u{10ffff}';

export function selectDocuments(connection: Statements, selection: DocumentSelection): Row[] {
  const { collection, filter = {}, after, limit } = selection;
  const { sql, values } = toCondition(collection, filter);
  const [more, bound] = after === undefined ? ['', []] : ['and id > ?', [after]];
  const order = `${more} order by id limit ?`;
  return connection.all(`select * from documents where ${sql} ${order}`, ...values, ...bound, limit);
}

/** Returns the numbers of all chunks that a filter selects, or `undefined` if it selects every chunk. */
function selectNumbers(
  connection: Statements,
  collection: number,
  filter: DocumentFilter | undefined,
): NumberRanges | undefined {
  const { sql, values } = toCondition(collection, filter ?? {});
  if (values.length === 1) return undefined;
  // One text instead of a row for each document is ten times as fast for many documents.
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
  // Binds one value for any number of ids: SQLite limits the number of variables.
  if (documentIds !== undefined) add('id in (select value from json_each(?))', JSON.stringify(documentIds));
  return { sql: parts.join(' and '), values };
}

/** Caches the selections of recent filters until the next write, because the same few filters are used again and again. */
export class FilterCache {
  readonly #known = new Map<string, NumberRanges | undefined>();

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

/** Chunk numbers that a filter selects, as rising ranges: `starts[n]` up to, but not including, `ends[n]`. */
export interface NumberRanges {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Collects ranges that come in rising order, and joins adjacent ones. */
function joinRanges(ranges: Iterable<readonly [first: number, count: number]>): NumberRanges {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const [first, count] of ranges) {
    if (ends.length > 0 && ends.at(-1) === first) ends[ends.length - 1] = first + count;
    else {
      starts.push(first);
      ends.push(first + count);
    }
  }
  return { starts, ends };
}

/** Returns the numbers that are in these ranges, or all of them without ranges. */
export function onlyNumbers(ranges: NumberRanges | undefined, numbers: readonly number[]): NumberRanges {
  const selected = ranges === undefined ? numbers : numbers.filter((number) => isInRanges(ranges, number));
  const sorted = [...new Set(selected)].toSorted((a, b) => a - b);
  return joinRanges(sorted.map((number) => [number, 1]));
}

export function isInRanges({ starts, ends }: NumberRanges, number: number): boolean {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low > 0 && number < (ends[low - 1] ?? 0);
}
