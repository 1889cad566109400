import {
  type KnowledgeDocument,
  type NewChunk,
  type PageRequest,
  MAX_LIMIT,
  parseChunkId,
  type StoredChunk,
  type StoredDocument,
} from '../../vector-store.ts';
import type { CollectionRow } from './collections.ts';
import { type Database, toPlainText } from './tables.ts';
import { toWhere } from './where.ts';

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

/** Reads a page of documents with their chunks and vectors. */
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

/** Reads chunks by id, in the given order. */
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
