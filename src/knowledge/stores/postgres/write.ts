import { runInTurns } from '../../../tool/run-in-turns.ts';
import { readTerms } from '../../../text/read-terms.ts';
import type { KnowledgeDocument } from '../../vector-store.ts';
import { toKeptVector } from '../nearness.ts';
import { ChunkWords } from '../scoring/posting-block.ts';
import { addWords, removeWords } from './words/write-words.ts';
import { type CollectionRow, type Database, toPlainText } from './tables.ts';

interface Counts {
  readonly documents: number;
  readonly chunks: number;
  readonly words: number;
}

/** Stores documents, replacing those with the same ids. Runs inside a transaction that has locked the collection. */
export async function writeDocuments(
  database: Database,
  collection: CollectionRow,
  { documents, now }: { documents: readonly KnowledgeDocument[]; now: number },
): Promise<void> {
  const { query, tables } = database;
  const ids = documents.map(({ id }) => toPlainText(id));
  const sql = `select key from ${tables.documents} where collection = $1 and id = any($2::text[])`;
  const known = await query<{ key: string }>(sql, [collection.key, ids]);
  const replaced = known.map(({ key }) => key);
  const gone = await removeDocuments(database, collection, replaced);
  const keys = await insertDocuments(database, collection, documents);
  const chunks = await insertChunks(database, documents, keys);
  const words = await runInTurns(readWords(chunks));
  await addWords(database, collection.key, new Map(words.from()));
  await insertVectors(database, collection, chunks);
  await count(database, collection, {
    documents: documents.length - gone.documents,
    chunks: chunks.length - gone.chunks,
    words: words.words - gone.words,
    now,
  });
}

/** Deletes documents by key. Runs inside a transaction that has locked the collection. */
export async function deleteDocuments(
  database: Database,
  collection: CollectionRow,
  { keys, now }: { keys: readonly string[]; now: number },
): Promise<void> {
  const { documents, chunks, words } = await removeDocuments(database, collection, keys);
  await count(database, collection, { documents: -documents, chunks: -chunks, words: -words, now });
}

async function removeDocuments(
  { query, tables }: Database,
  collection: CollectionRow,
  keys: readonly string[],
): Promise<Counts> {
  if (keys.length === 0) return { documents: 0, chunks: 0, words: 0 };
  const gone = await query<{ key: string; text: string }>(
    `delete from ${tables.chunks} where document = any($1::bigint[]) returning key, text`,
    [keys],
  );
  const words = await runInTurns(readWords(gone));
  await removeWords({ query, tables }, collection.key, new Map(words.from()));
  if (collection.info.embedding !== undefined) {
    const chunks = gone.map(({ key }) => key);
    await query(`delete from ${tables.vectors(collection.key)} where chunk = any($1::bigint[])`, [chunks]);
  }
  await query(`delete from ${tables.documents} where key = any($1::bigint[])`, [keys]);
  return { documents: keys.length, chunks: gone.length, words: words.words };
}

async function insertDocuments(
  { query, tables }: Database,
  collection: CollectionRow,
  documents: readonly KnowledgeDocument[],
): Promise<Map<string, string>> {
  const rows = documents.map(({ id, contentHash, type, tags, sourcePath, stamp, chunks }) => ({
    id: toPlainText(id),
    hash: toPlainText(contentHash),
    type: toPlainText(type),
    tags: tags.map(toPlainText),
    path: sourcePath === undefined ? null : toPlainText(sourcePath),
    stamp: stamp === undefined ? null : toPlainText(stamp),
    count: chunks.length,
  }));
  const made = await query<{ id: string; key: string }>(
    `insert into ${tables.documents} (collection, id, hash, type, tags, path, stamp, count)
      select $1, id, hash, type, tags, path, stamp, count from jsonb_to_recordset($2::jsonb)
        as r (id text, hash text, type text, tags jsonb, path text, stamp text, count integer)
      returning id, key`,
    [collection.key, JSON.stringify(rows)],
  );
  return new Map(made.map(({ id, key }) => [id, key]));
}

interface NumberedChunk {
  readonly key: string;
  readonly text: string;
  readonly embedding: Float32Array | undefined;
}

async function insertChunks(
  { query, tables }: Database,
  documents: readonly KnowledgeDocument[],
  keys: ReadonlyMap<string, string>,
): Promise<NumberedChunk[]> {
  const chunks = documents.flatMap(({ id, chunks }) =>
    chunks.map((chunk, position) => ({ ...chunk, position, document: keys.get(toPlainText(id)) })),
  );
  const rows = chunks.map(({ document, position, headings, lines, text }) => ({
    document,
    position,
    headings: headings.map(toPlainText),
    line_from: lines?.from ?? null,
    line_to: lines?.to ?? null,
    text: toPlainText(text),
  }));
  const made = await query<{ document: string; position: number; key: string }>(
    `insert into ${tables.chunks} (document, position, headings, line_from, line_to, text)
      select * from jsonb_to_recordset($1::jsonb)
        as r (document bigint, position integer, headings jsonb, line_from integer, line_to integer, text text)
      returning document, position, key`,
    [JSON.stringify(rows)],
  );
  const keyOf = new Map(made.map(({ document, position, key }) => [`${document} ${position}`, key]));
  return chunks.map(({ document, position, text, embedding }) => ({
    key: keyOf.get(`${document} ${position}`) ?? '',
    text: toPlainText(text),
    embedding,
  }));
}

/** Reads the words of chunks. Yields after each chunk, for `runInTurns`. */
function* readWords(chunks: readonly { readonly key: string; readonly text: string }[]): Generator<void, ChunkWords> {
  const words = new ChunkWords();
  for (const { key, text } of chunks.toSorted((a, b) => Number(a.key) - Number(b.key))) {
    words.add(Number(key), readTerms(text));
    yield;
  }
  return words;
}

async function insertVectors(
  { query, tables }: Database,
  collection: CollectionRow,
  chunks: readonly NumberedChunk[],
): Promise<void> {
  const { embedding } = collection.info;
  if (embedding === undefined) return;
  const rows = chunks.flatMap(({ key, embedding: vector }) =>
    vector === undefined ? [] : [[key, toVectorText(toKeptVector(vector, embedding.distance))] as const],
  );
  await query(
    `insert into ${tables.vectors(collection.key)} (chunk, vector)
      select chunk, vector::vector from unnest($1::bigint[], $2::text[]) as r (chunk, vector)`,
    [rows.map(([key]) => key), rows.map(([, vector]) => vector)],
  );
}

async function count(
  { query, tables }: Database,
  { key }: CollectionRow,
  change: Counts & { readonly now: number },
): Promise<void> {
  await query(
    `update ${tables.collections} set documents = documents + $2, chunks = chunks + $3, words = words + $4,
      changed = $5 where key = $1`,
    [key, change.documents, change.chunks, change.words, change.now],
  );
}

export function toVectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
