import { TERMS_VERSION } from '../../../text/read-terms.ts';
import {
  type CollectionInfo,
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
  type VectorStore,
} from '../../vector-store.ts';
import { checkCollectionName, checkDocuments, checkLimit, checkRequest } from '../check-input.ts';
import { otherWords, unknownCollection } from '../collection-errors.ts';
import { findCollection, getCollection, listCollections } from './collections.ts';
import { explainMissingExtension, makeCollection } from './make-collection.ts';
import { hasTables, migrate } from './migrate.ts';
import { readChunks, readDocuments, readWhole } from './read.ts';
import { searchVectors, searchWords } from './search.ts';
import { type Query, Server } from './server.ts';
import { nameTables, type Tables } from './tables.ts';
import { deleteDocuments, writeDocuments } from './write.ts';

/** Which server, and where in its database. */
export interface PostgresStoreOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  /** A schema of its own for each tenant, or a prefix of their own for the tables of each. */
  readonly schema?: string;
  readonly prefix?: string;
  readonly maxConnections?: number;
  readonly clock?: { now(): number };
}

/**
 * Opens a store in a PostgreSQL database, which many boards can share. Needs the package `pg`.
 *
 * Words need nothing but PostgreSQL; vectors need its extension pgvector. Tables are made on first use.
 */
export function openPostgresStore(options: PostgresStoreOptions): VectorStore {
  return new PostgresStore(options);
}

class PostgresStore implements VectorStore {
  readonly driver = 'postgres';
  readonly #server: Server;
  readonly #tables: Tables;
  readonly #clock: { now(): number };
  #isReady: Promise<void> | undefined;

  constructor({ url, schema = 'pegboard', prefix = '', maxConnections = 10, clock = Date }: PostgresStoreOptions) {
    this.#tables = nameTables(schema, prefix);
    this.#server = new Server({ url, maxConnections });
    this.#clock = clock;
  }

  async ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo> {
    checkCollectionName(name);
    const now = this.#clock.now();
    return this.#write((query) => makeCollection(query, this.#tables, { name, embedding, now }));
  }

  async collections(): Promise<CollectionInfo[]> {
    if (!(await this.#isThere())) return [];
    return this.#server.run(async (query) => (await listCollections(query, this.#tables)).map(({ info }) => info));
  }

  async dropCollection(name: string): Promise<boolean> {
    const { collections, documents, chunks, postings, vectors } = this.#tables;
    if (!(await this.#isThere())) return false;
    return this.#write(async (query) => {
      const found = await findCollection(query, this.#tables, { name, lock: true });
      if (found === undefined) return false;
      const those = `(select key from ${documents} where collection = $1)`;
      await query(`delete from ${chunks} where document in ${those}`, [found.key]);
      for (const table of [documents, postings]) await query(`delete from ${table} where collection = $1`, [found.key]);
      await query(`drop table if exists ${vectors(found.key)}`);
      await query(`delete from ${collections} where key = $1`, [found.key]);
      return true;
    });
  }

  async stats(collection: string): Promise<CollectionStats> {
    return this.#read(collection, async (query) => {
      const { info, documents, chunks, changed } = await getCollection(query, this.#tables, { name: collection });
      return { ...info, documents, chunks, changedAt: changed, bytes: await this.#measure(query) };
    });
  }

  async upsert(collection: string, documents: readonly KnowledgeDocument[]): Promise<void> {
    await this.#write(async (query) => {
      const found = await getCollection(query, this.#tables, { name: collection, lock: true });
      checkDocuments(found.info, documents);
      if (documents.length === 0) return;
      await writeDocuments(query, this.#tables, { collection: found, documents, now: this.#clock.now() });
    });
  }

  async delete(collection: string, filter: DocumentFilter): Promise<number> {
    for (let count = 0; ;) {
      const deleted = await this.#write(async (query) => {
        const found = await getCollection(query, this.#tables, { name: collection, lock: true });
        const page = { filter, limit: MAX_LIMIT };
        const keys = (await readDocuments(query, this.#tables, { collection: found, page })).map(({ key }) => key);
        const now = this.#clock.now();
        if (keys.length > 0) await deleteDocuments(query, this.#tables, { collection: found, keys, now });
        return keys.length;
      });
      count += deleted;
      if (deleted < MAX_LIMIT) return count;
    }
  }

  async search(name: string, request: SearchRequest): Promise<SearchHit[]> {
    return this.#readTogether(name, async (query) => {
      const collection = await getCollection(query, this.#tables, { name });
      checkRequest(collection.info, request);
      if (collection.terms !== TERMS_VERSION) throw otherWords(name);
      const { filter, among, limit } = request;
      const { embedding } = collection.info;
      if (request.by === 'words')
        return searchWords(query, this.#tables, { collection, filter, among, limit, text: request.text });
      if (embedding === undefined) return [];
      const scope = { collection, filter, among, limit };
      return searchVectors(query, this.#tables, { ...scope, embedding, vector: request.vector });
    });
  }

  async chunks(name: string, ids: readonly string[]): Promise<StoredChunk[]> {
    return this.#read(name, async (query) => {
      const collection = await getCollection(query, this.#tables, { name });
      return readChunks(query, this.#tables, { collection, ids });
    });
  }

  async documents(name: string, page: PageRequest = {}): Promise<StoredDocument[]> {
    checkLimit(page.limit ?? MAX_LIMIT);
    return this.#read(name, async (query) => {
      const collection = await getCollection(query, this.#tables, { name });
      return (await readDocuments(query, this.#tables, { collection, page })).map(({ document }) => document);
    });
  }

  async read(name: string, page: PageRequest = {}): Promise<KnowledgeDocument[]> {
    checkLimit(page.limit ?? MAX_LIMIT);
    return this.#readTogether(name, async (query) => {
      // One state of the database for both statements.
      await query('set transaction isolation level repeatable read');
      const collection = await getCollection(query, this.#tables, { name });
      return readWhole(query, this.#tables, { collection, page });
    });
  }

  async vectorProblem(): Promise<string | undefined> {
    return this.#server.run(explainMissingExtension);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #read<T>(collection: string, work: (query: Query) => Promise<T>): Promise<T> {
    if (!(await this.#isThere())) throw unknownCollection(collection, []);
    return this.#server.run(work);
  }

  /** Reads with settings that hold for the statements of one transaction. */
  async #readTogether<T>(collection: string, work: (query: Query) => Promise<T>): Promise<T> {
    if (!(await this.#isThere())) throw unknownCollection(collection, []);
    return this.#server.transaction(work);
  }

  async #write<T>(work: (query: Query) => Promise<T>): Promise<T> {
    await this.#prepare();
    return this.#server.transaction(work);
  }

  /** Whether there are tables to read; to look makes none. */
  async #isThere(): Promise<boolean> {
    if (this.#isReady !== undefined) return this.#isReady.then(() => true);
    const isMade = await this.#server.run((query) => hasTables(query, this.#tables));
    if (isMade) this.#isReady ??= Promise.resolve();
    return isMade;
  }

  /** Makes the tables before anything else; tried again by the next call when the server was not there. */
  async #prepare(): Promise<void> {
    // A user who may write but not make tables needs nothing made.
    if (await this.#isThere()) return;
    this.#isReady ??= this.#server.transaction((query) => migrate(query, this.#tables));
    try {
      await this.#isReady;
    } catch (error) {
      this.#isReady = undefined;
      throw error;
    }
  }

  async #measure(query: Query): Promise<number> {
    const { collections, documents, chunks, postings } = this.#tables;
    const names = [collections, documents, chunks, postings];
    const [row] = await query<{ bytes: string }>(
      'select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) as name',
      [names],
    );
    return Number(row?.bytes ?? 0);
  }
}
