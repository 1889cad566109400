import { statSync } from 'node:fs';
import {
  type CollectionInfo,
  type CollectionMove,
  type CollectionStats,
  type DocumentFilter,
  type EmbeddingSettings,
  type KnowledgeDocument,
  MAX_LIMIT,
  type PageRequest,
  type SearchHit,
  type SearchRequest,
  type StoredChunk,
  type StoredDocument,
  type UpsertOptions,
  type VectorStore,
} from '../../vector-store.ts';
import { runInTurns } from '../../../tool/run-in-turns.ts';
import { TERMS_VERSION } from '../../../text/read-terms.ts';
import {
  checkCollectionName,
  checkDocuments,
  checkEmbeddingSettings,
  checkLimit,
  checkRequest,
  checkSameEmbedding,
  takenName,
} from '../check-input.ts';
import {
  type CollectionRow,
  Connection,
  findCollection,
  getCollection,
  listCollections,
  type Row,
  type Statements,
} from './connection.ts';
import { IN_MEMORY } from './open-database.ts';
import {
  FilterCache,
  type NumberRanges,
  onlyNumbers,
  selectDocuments,
  readChunks,
  readNumbers,
  readWhole,
  toDocument,
  toHits,
} from './read-documents.ts';
import { rebuildPostings, searchPostings } from './words/posting-table.ts';
import { LoadedVectors, searchVectors } from './vectors/loaded-vectors.ts';
import { deleteDocuments, writeDocuments, prepareWrite } from './write-documents.ts';

/** Deletes some of a collection's words: deleting all at once would block for long. */
const DROP_POSTINGS = `delete from postings where collection = ? and term in
  (select distinct term from postings where collection = ? order by term limit 500)`;

interface SqliteStoreOptions {
  /** The file; it and its folder are created if needed. */
  readonly file: string;
  readonly clock?: { now(): number };
}

/**
 * Opens a store in one SQLite file, which several processes may share. It needs no other software.
 *
 * Acknowledged writes are on disk, writes are all or nothing, and searches see every write that ended before them.
 */
export function openSqliteStore({ file, clock = Date }: SqliteStoreOptions): VectorStore {
  return new SqliteStore('sqlite', file, clock);
}

/** Creates a store that is lost when the process ends: for tests and short-lived boards. */
export function createMemoryStore(clock: { now(): number } = Date): VectorStore {
  return new SqliteStore('memory', IN_MEMORY, clock);
}

class SqliteStore implements VectorStore {
  readonly driver: 'sqlite' | 'memory';
  readonly #file: string;
  readonly #clock: { now(): number };
  readonly #connection: Connection;
  readonly #vectors: LoadedVectors;
  readonly #filters = new FilterCache();

  constructor(driver: 'sqlite' | 'memory', file: string, clock: { now(): number }) {
    this.driver = driver;
    this.#file = file;
    this.#clock = clock;
    this.#connection = new Connection(file);
    this.#vectors = new LoadedVectors(this.#connection);
  }

  async ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo> {
    checkCollectionName(name);
    if (embedding !== undefined) checkEmbeddingSettings(name, embedding);
    const known = findCollection(this.#connection, name);
    if (known !== undefined && known.terms === TERMS_VERSION) {
      if (embedding === undefined) return known.info;
      if (known.documents > 0) {
        checkSameEmbedding(known.info, embedding);
        return known.info;
      }
    }
    return this.#connection.write((writer) => this.#make(writer, name, embedding));
  }

  async collections(): Promise<CollectionInfo[]> {
    return listCollections(this.#connection);
  }

  async dropCollection(name: string): Promise<boolean> {
    return this.#connection.write(function* (connection) {
      const key = findCollection(connection, name)?.key;
      if (key === undefined) return false;
      for (const { first, count } of connection.all(
        'select first, count from documents where collection = ? order by first',
        key,
      )) {
        const end = Number(first) + Number(count);
        connection.run('delete from chunks where number >= ? and number < ?', Number(first), end);
        connection.run('delete from vectors where number >= ? and number < ?', Number(first), end);
        connection.run('delete from packed where collection = ? and number < ?', key, end);
        yield;
      }
      while (connection.run(DROP_POSTINGS, key, key) > 0) yield;
      for (const table of ['tags', 'documents', 'removed']) {
        connection.run(`delete from ${table} where collection = ?`, key);
      }
      return connection.run('delete from collections where key = ?', key) > 0;
    });
  }

  async renameCollections(moves: readonly CollectionMove[]): Promise<void> {
    await this.#connection.write(function* (connection) {
      for (const { from, to } of moves) {
        checkCollectionName(to);
        const { key } = getCollection(connection, from);
        if (findCollection(connection, to) !== undefined) throw takenName(to);
        connection.run('update collections set name = ? where key = ?', to, key);
        yield;
      }
    });
  }

  async stats(collection: string): Promise<CollectionStats> {
    const { info, documents, chunks, changed } = getCollection(this.#connection, collection);
    return { ...info, documents, chunks, changedAt: changed, bytes: sizeOf(this.#file) };
  }

  async upsert(
    collection: string,
    documents: readonly KnowledgeDocument[],
    { embedding }: UpsertOptions = {},
  ): Promise<void> {
    checkDocuments(getCollection(this.#connection, collection).info, documents);
    if (documents.length === 0) return;
    const prepared = await runInTurns(prepareWrite(documents));
    const clock = this.#clock;
    await this.#connection.write(function* (writer) {
      const row = getCollection(writer, collection);
      // Checks again, because another process may have changed the collection meanwhile.
      if (embedding !== undefined) checkSameEmbedding(row.info, embedding);
      checkDocuments(row.info, documents);
      yield* writeDocuments(writer, row, { ...prepared, now: clock.now() });
    });
  }

  async delete(collection: string, filter: DocumentFilter): Promise<number> {
    getCollection(this.#connection, collection);
    const clock = this.#clock;
    let count = 0;
    for (;;) {
      const deleted = await this.#connection.write(function* (writer) {
        const row = getCollection(writer, collection);
        const rows = selectDocuments(writer, { collection: row.key, filter, after: undefined, limit: MAX_LIMIT });
        if (rows.length > 0) yield* deleteDocuments(writer, row, { rows, now: clock.now() });
        return rows.length;
      });
      count += deleted;
      if (deleted < MAX_LIMIT) return count;
    }
  }

  async search(collection: string, request: SearchRequest): Promise<SearchHit[]> {
    const connection = this.#connection;
    const row = getCollection(connection, collection);
    checkRequest(row.info, request);
    const { limit, signal } = request;
    const { embedding } = row.info;
    if (request.by === 'vector') {
      if (embedding === undefined) return [];
      const { vector } = request;
      const table = await this.#vectors.open(row, embedding);
      // While vectors were read, another collection may have taken the name.
      if (getCollection(connection, collection).key !== row.key) return this.search(collection, request);
      const allowed = this.#select(row, request);
      return searchVectors(connection, { collection: row.key, embedding, table, vector, allowed, limit, signal });
    }
    return connection.read(() => {
      const current = getCollection(connection, collection);
      const { key, chunks, words } = current;
      const allowed = this.#select(current, request);
      const best = searchPostings(connection, request.text, { collection: key, chunks, words, allowed, limit });
      return toHits(connection, key, best);
    });
  }

  async chunks(collection: string, ids: readonly string[]): Promise<StoredChunk[]> {
    return this.#connection.read(() => {
      const { key } = getCollection(this.#connection, collection);
      return readChunks(this.#connection, key, ids);
    });
  }

  async documents(collection: string, page: PageRequest = {}): Promise<StoredDocument[]> {
    return this.#readPage(collection, page, toDocument);
  }

  async read(collection: string, page: PageRequest = {}): Promise<KnowledgeDocument[]> {
    return this.#readPage(collection, page, (row) => readWhole(this.#connection, row));
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  #readPage<T>(collection: string, page: PageRequest, read: (row: Row) => T): T[] {
    const { filter, after, limit = MAX_LIMIT } = page;
    checkLimit(limit);
    return this.#connection.read(() => {
      const { key } = getCollection(this.#connection, collection);
      return selectDocuments(this.#connection, { collection: key, filter, after, limit }).map(read);
    });
  }

  #select(collection: CollectionRow, { filter = {}, among }: SearchRequest): NumberRanges | undefined {
    const ranges = this.#filters.select(this.#connection, collection, filter);
    return among === undefined ? ranges : onlyNumbers(ranges, readNumbers(this.#connection, collection.key, among));
  }

  *#make(
    connection: Statements,
    name: string,
    embedding: EmbeddingSettings | undefined,
  ): Generator<void, CollectionInfo> {
    const settings = [embedding?.embedder ?? null, embedding?.dimension ?? null, embedding?.distance ?? null];
    const known = findCollection(connection, name);
    if (known === undefined) {
      const message =
        'insert into collections (name, embedder, dimension, distance, changed, terms) values (?, ?, ?, ?, ?, ?)';
      connection.run(message, name, ...settings, this.#clock.now(), TERMS_VERSION);
    } else {
      if (known.terms !== TERMS_VERSION) yield* rebuildPostings(connection, known.key, TERMS_VERSION);
      if (embedding !== undefined && known.documents > 0) checkSameEmbedding(known.info, embedding);
      else if (embedding !== undefined) {
        const change = 'update collections set embedder = ?, dimension = ?, distance = ? where key = ?';
        connection.run(change, ...settings, known.key);
      }
    }
    return getCollection(connection, name).info;
  }
}

function sizeOf(file: string): number | undefined {
  if (file === IN_MEMORY) return undefined;
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
