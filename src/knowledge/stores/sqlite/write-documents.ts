import { readTerms } from '../../../text/read-terms.ts';
import type { Distance, KnowledgeDocument } from '../../vector-store.ts';
import { toKeptVector } from '../nearness.ts';
import type { CollectionRow, Row, Statements } from './connection.ts';
import { packVector } from '../../../vectors/packed-vector.ts';
import { addPostings, removePostings } from './words/posting-table.ts';
import { ChunkWords } from '../scoring/posting-block.ts';

/** The number of versions for which removals are kept; a reader further behind reads all vectors again. */
export const REMOVALS_KEPT = 10_000;

const CHUNKS = 'select number, text from chunks where number >= ? and number < ? order by number';
/** Chunks whose texts are in memory at once. */
const ROWS_AT_ONCE = 500;

/** Documents with the words of their chunks, read before the write starts. */
interface PreparedWrite {
  readonly documents: readonly KnowledgeDocument[];
  /** Numbers chunks from 0, over all documents. */
  readonly words: ChunkWords;
}

/** Reads the words of documents. Yields after each chunk, for `runInTurns`. */
export function* prepareWrite(documents: readonly KnowledgeDocument[]): Generator<void, PreparedWrite> {
  const words = new ChunkWords();
  let number = 0;
  for (const { chunks } of documents) {
    for (const { text } of chunks) {
      words.add(number++, readTerms(text));
      yield;
    }
  }
  return { documents, words };
}

/** Stores documents, replacing those with the same ids. Runs inside a transaction. */
export function* writeDocuments(
  connection: Statements,
  collection: CollectionRow,
  { documents, words, now }: PreparedWrite & { readonly now: number },
): Generator<void, void> {
  const known = documents.flatMap(({ id }) => {
    const row = connection.get('select * from documents where collection = ? and id = ?', collection.key, id);
    return row === undefined ? [] : [row];
  });
  const gone = yield* removeDocuments(connection, collection, known);
  const chunkCount = documents.reduce((sum, { chunks }) => sum + chunks.length, 0);
  const next = connection.get(`update facts set value = value + ? where name = 'next' returning value`, chunkCount);
  const first = Number(next?.['value']) - chunkCount;
  let number = first;
  for (const document of documents) {
    insertDocument(connection, collection.key, { document, first: number });
    const distance = collection.info.embedding?.distance;
    for (const chunk of document.chunks) {
      const { text, headings, lines, embedding } = chunk;
      const message = 'insert into chunks values (?, ?, ?, ?, ?)';
      connection.run(message, number, JSON.stringify(headings), lines?.from ?? null, lines?.to ?? null, text);
      if (embedding !== undefined) insertVector(connection, collection.key, { number, embedding, distance });
      number++;
      yield;
    }
  }
  yield* addPostings(connection, collection.key, { words, first });
  const added = { documents: documents.length, chunks: chunkCount, words: words.words };
  countChange(connection, collection, {
    documents: added.documents - known.length,
    chunks: added.chunks - gone.chunks,
    words: added.words - gone.words,
    now,
  });
}

/** Deletes documents, given as rows. Runs inside a transaction. */
export function* deleteDocuments(
  connection: Statements,
  collection: CollectionRow,
  { rows, now }: { readonly rows: readonly Row[]; readonly now: number },
): Generator<void, void> {
  const gone = yield* removeDocuments(connection, collection, rows);
  countChange(connection, collection, { documents: -rows.length, chunks: -gone.chunks, words: -gone.words, now });
}

function* removeDocuments(
  connection: Statements,
  collection: CollectionRow,
  rows: readonly Row[],
): Generator<void, ChunkWords> {
  const gone = new ChunkWords();
  for (const row of rows) {
    const [key, first, count] = [Number(row['key']), Number(row['first']), Number(row['count'])];
    const end = first + count;
    for (let from = first; from < end; from += ROWS_AT_ONCE) {
      for (const { number, text } of connection.all(CHUNKS, from, Math.min(end, from + ROWS_AT_ONCE))) {
        gone.add(Number(number), readTerms(String(text)));
        yield;
      }
    }
    connection.run('delete from chunks where number >= ? and number < ?', first, end);
    connection.run('delete from vectors where number >= ? and number < ?', first, end);
    const message = 'delete from packed where collection = ? and number >= ? and number < ?';
    connection.run(message, collection.key, first, end);
    for (const tag of new Set<string>(JSON.parse(String(row['tags'])))) {
      connection.run('delete from tags where collection = ? and tag = ? and document = ?', collection.key, tag, key);
    }
    connection.run('delete from documents where key = ?', key);
    if (collection.info.embedding !== undefined)
      connection.run('insert into removed values (?, ?, ?, ?)', collection.key, collection.version + 1, first, count);
  }
  yield* removePostings(connection, collection.key, gone);
  return gone;
}

function insertDocument(
  connection: Statements,
  collection: number,
  { document, first }: { readonly document: KnowledgeDocument; readonly first: number },
): void {
  const { id, contentHash, type, tags, sourcePath, stamp, chunks } = document;
  const row = connection.get(
    `insert into documents (collection, id, hash, type, tags, path, stamp, first, count)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning key`,
    collection,
    id,
    contentHash,
    type,
    JSON.stringify(tags),
    sourcePath ?? null,
    stamp ?? null,
    first,
    chunks.length,
  );
  const key = Number(row?.['key']);
  for (const tag of new Set(tags)) connection.run('insert into tags values (?, ?, ?)', collection, tag, key);
}

function insertVector(
  connection: Statements,
  collection: number,
  chunk: { readonly number: number; readonly embedding: Float32Array; readonly distance: Distance | undefined },
): void {
  const vector = toKeptVector(chunk.embedding, chunk.distance ?? 'cosine');
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  connection.run('insert into vectors values (?, ?)', chunk.number, bytes);
  connection.run('insert into packed values (?, ?, ?)', collection, chunk.number, packVector(vector));
}

interface Change {
  readonly documents: number;
  readonly chunks: number;
  readonly words: number;
  readonly now: number;
}

function countChange(connection: Statements, { key, version }: CollectionRow, change: Change): void {
  connection.run(
    `update collections set documents = documents + ?, chunks = chunks + ?, words = words + ?, changed = ?,
      version = version + 1 where key = ?`,
    change.documents,
    change.chunks,
    change.words,
    change.now,
    key,
  );
  connection.run('delete from removed where collection = ? and version < ?', key, version - REMOVALS_KEPT);
}
