import {
  type DocumentFilter,
  type KnowledgeDocument,
  MAX_LIMIT,
  type NewChunk,
  type PageRequest,
  parseChunkId,
  type StoredChunk,
  type StoredDocument,
} from '../../vector-store.ts';
import { fixedPrefix, isPattern, toExpressionSource } from '../match-path.ts';
import { type CollectionRow, type Database, toPlainText } from './tables.ts';

interface DocumentRow {
  key: string;
  id: string;
  hash: string;
  type: string;
  tags: string[];
  path: string | null;
  stamp: string | null;
  count: number;
}

interface ChunkRow {
  document: string;
  position: number;
  headings: string[];
  line_from: number | null;
  line_to: number | null;
  text: string;
  vector?: string | null;
}

/** Reads a page of documents, each with its key. */
export async function readDocuments(
  { query, tables }: Database,
  collection: CollectionRow,
  { filter, after, limit = MAX_LIMIT }: PageRequest,
): Promise<{ key: string; document: StoredDocument }[]> {
  const values: unknown[] = [collection.key, limit];
  const where = toWhere(filter, values);
  const from = after === undefined ? '' : `and d.id > $${values.push(toPlainText(after))}`;
  const rows = await query<DocumentRow>(
    `select d.* from ${tables.documents} d where d.collection = $1 and ${where} ${from} order by d.id limit $2`,
    values,
  );
  return rows.map((row) => ({ key: row.key, document: toDocument(row) }));
}

export async function readWhole(
  database: Database,
  collection: CollectionRow,
  page: PageRequest,
): Promise<KnowledgeDocument[]> {
  const { query, tables } = database;
  const documents = await readDocuments(database, collection, page);
  const [column, join] =
    collection.info.embedding === undefined
      ? ['null as vector', '']
      : ['v.vector::text as vector', `left join ${tables.vectors(collection.key)} v on v.chunk = c.key`];
  const rows = await query<ChunkRow>(
    `select c.*, ${column} from ${tables.chunks} c ${join} where document = any($1::bigint[]) order by document, position`,
    [documents.map(({ key }) => key)],
  );
  const chunksOf = Map.groupBy(rows, ({ document }) => document);
  return documents.map(({ key, document: { chunkCount, ...facts } }) => ({
    ...facts,
    chunks: (chunksOf.get(key) ?? []).slice(0, chunkCount).map(toNewChunk),
  }));
}

export async function readChunks(
  { query, tables }: Database,
  collection: CollectionRow,
  ids: readonly string[],
): Promise<StoredChunk[]> {
  const wanted = ids.map((id) => ({ id, ...parseChunkId(toPlainText(id)) }));
  const valid = wanted.filter(({ position }) => Number.isInteger(position) && position < 2 ** 31);
  const rows = await query<DocumentRow & ChunkRow>(
    `select d.*, c.* from unnest($2::text[], $3::integer[]) as w (id, position)
      join ${tables.documents} d on d.collection = $1 and d.id = w.id
      join ${tables.chunks} c on c.document = d.key and c.position = w.position`,
    [collection.key, valid.map(({ documentId }) => documentId), valid.map(({ position }) => position)],
  );
  const found = new Map(rows.map((row) => [`${row.id}#${row.position}`, row]));
  return wanted.flatMap(({ id, documentId, position }) => {
    const row = found.get(`${documentId}#${position}`);
    if (row === undefined) return [];
    const { contentHash, type, tags, sourcePath } = toDocument(row);
    const { embedding: _, ...chunk } = toNewChunk(row);
    return [{ id, documentId, position, ...chunk, contentHash, type, tags, sourcePath }];
  });
}

function toDocument({ id, hash, type, tags, path, stamp, count }: DocumentRow): StoredDocument {
  const [sourcePath, kept] = [path ?? undefined, stamp ?? undefined];
  return { id, contentHash: hash, type, tags, sourcePath, stamp: kept, chunkCount: count };
}

function toNewChunk({ text, headings, line_from: from, line_to: to, vector }: ChunkRow): NewChunk {
  return {
    text,
    headings,
    lines: from === null || to === null ? undefined : { from, to },
    embedding: typeof vector === 'string' ? Float32Array.from(JSON.parse(vector)) : undefined,
  };
}

const LAST_CHARACTER = '\u{10ffff}';

/** Returns the SQL condition for a filter on the table of documents, named `d`. Appends the bound values. */
export function toWhere(filter: DocumentFilter | undefined, values: unknown[]): string {
  const { type, tags = [], sourcePath, documentIds } = filter ?? {};
  const parts: string[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  if (type !== undefined) parts.push(`d.type = ${bind(toPlainText(type))}`);
  if (tags.length > 0) parts.push(`d.tags @> ${bind(JSON.stringify(tags.map(toPlainText)))}::jsonb`);
  if (sourcePath !== undefined) parts.push(toPathCondition(toPlainText(sourcePath), bind));
  if (documentIds !== undefined) parts.push(`d.id = any(${bind(documentIds.map(toPlainText))}::text[])`);
  return parts.length === 0 ? 'true' : parts.join(' and ');
}

/** Returns the SQL condition that selects these chunks, named `c`. Appends the bound values. */
export function toAmong(ids: readonly string[] | undefined, values: unknown[]): string {
  if (ids === undefined) return 'true';
  const chunks = ids.map((id) => parseChunkId(toPlainText(id))).filter(({ position }) => position < 2 ** 31);
  const names = values.push(chunks.map(({ documentId }) => documentId));
  const positions = values.push(chunks.map(({ position }) => position));
  return `(d.id, c.position) in (select * from unnest($${names}::text[], $${positions}::integer[]))`;
}

export function hasConditions(filter: DocumentFilter | undefined): boolean {
  return toWhere(filter, []) !== 'true';
}

function toPathCondition(path: string, bind: (value: unknown) => string): string {
  if (!isPattern(path) && !path.endsWith('/')) return `d.path = ${bind(path)}`;
  const prefix = fixedPrefix(path);
  const range = `d.path >= ${bind(prefix)} and d.path < ${bind(prefix + LAST_CHARACTER)}`;
  return isPattern(path) ? `${range} and d.path ~ ${bind(toExpressionSource(path))}` : range;
}

export interface ServerSearch {
  readonly collection: CollectionRow;
  readonly filter: DocumentFilter | undefined;
  readonly among: readonly string[] | undefined;
  readonly limit: number;
}

/** Counts the chunks that a filter selects; stops soon above `most`. */
export async function countSelected(
  { query, tables }: Database,
  { collection, filter }: ServerSearch,
  most: number,
): Promise<number> {
  const values: unknown[] = [collection.key, most + 1];
  const where = toWhere(filter, values);
  const [row] = await query<{ chunks: string | null }>(
    `select sum(count) as chunks from (select count from ${tables.documents} d
      where d.collection = $1 and d.count > 0 and ${where} limit $2) as selected`,
    values,
  );
  return Number(row?.chunks ?? 0);
}
