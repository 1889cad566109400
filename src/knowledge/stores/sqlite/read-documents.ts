import {
  chunkId,
  type KnowledgeDocument,
  type LineRange,
  parseChunkId,
  type SearchHit,
  type StoredChunk,
  type StoredDocument,
  type DocumentFilter,
} from '../../vector-store.ts';
import type { Row, Statements, CollectionRow } from './connection.ts';
import type { NumberedScore } from '../scoring/top-scores.ts';
import type { SQLInputValue } from 'node:sqlite';
import { fixedPrefix, isPattern } from '../match-path.ts';

const DOCUMENT_OF =
  'select id, first, count from documents where collection = ? and first <= ? order by first desc limit 1';

/** Converts the numbers of found chunks to ids; skips chunks without a document. */
export function toHits(connection: Statements, collection: number, best: readonly NumberedScore[]): SearchHit[] {
  return best.flatMap(({ key: number, score }) => {
    const row = connection.get(DOCUMENT_OF, collection, number);
    const position = number - Number(row?.['first']);
    return row !== undefined && position < Number(row['count'])
      ? [{ chunkId: chunkId(String(row['id']), position), score }]
      : [];
  });
}

export function readChunks(connection: Statements, collection: number, ids: readonly string[]): StoredChunk[] {
  return ids.flatMap((id) => {
    const { documentId, position } = parseChunkId(id);
    if (!Number.isInteger(position)) return [];
    const row = connection.get(
      `select documents.*, chunks.* from documents join chunks on number = first + ?
        where collection = ? and id = ? and ? < count`,
      position,
      collection,
      documentId,
      position,
    );
    if (row === undefined) return [];
    const { contentHash, type, tags, sourcePath } = toDocument(row);
    return [{ id, documentId, position, ...toChunk(row), contentHash, type, tags, sourcePath }];
  });
}

export function readNumbers(connection: Statements, collection: number, ids: readonly string[]): number[] {
  return ids.flatMap((id) => {
    const { documentId, position } = parseChunkId(id);
    const sql = 'select first, count from documents where collection = ? and id = ?';
    const row = connection.get(sql, collection, documentId);
    return row === undefined || !(position < Number(row['count'])) ? [] : [Number(row['first']) + position];
  });
}

export function toDocument(row: Row): StoredDocument {
  return {
    id: String(row['id']),
    contentHash: String(row['hash']),
    type: String(row['type']),
    tags: JSON.parse(String(row['tags'])),
    sourcePath: row['path'] === null ? undefined : String(row['path']),
    stamp: row['stamp'] === null ? undefined : String(row['stamp']),
    chunkCount: Number(row['count']),
  };
}

export function readWhole(connection: Statements, row: Row): KnowledgeDocument {
  const { chunkCount, ...facts } = toDocument(row);
  const first = Number(row['first']);
  const rows = connection.all(
    `select chunks.*, vector from chunks left join vectors using (number)
      where chunks.number >= ? and chunks.number < ? order by number`,
    first,
    first + chunkCount,
  );
  return { ...facts, chunks: rows.map((chunk) => ({ ...toChunk(chunk), embedding: toVector(chunk['vector']) })) };
}

/** Copies the numbers of a blob, because SQLite's memory need not be aligned. */
export function toVector(blob: unknown): Float32Array | undefined {
  return blob instanceof Uint8Array ? new Float32Array(blob.slice().buffer) : undefined;
}

function toChunk(row: Row): { text: string; headings: string[]; lines: LineRange | undefined } {
  const { line_from: from, line_to: to } = row;
  return {
    text: String(row['text']),
    headings: JSON.parse(String(row['headings'])),
    lines: from === null || to === null ? undefined : { from: Number(from), to: Number(to) },
  };
}

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
