import { TERMS_VERSION } from '../../../text/read-terms.ts';
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
import { checkCollectionName, checkDocuments, checkLimit, checkRequest } from '../check-input.ts';
import { checkSameEmbedding, otherWords, takenName, unknownCollection } from '../collection-errors.ts';
import { type CollectionRow, findCollection, getCollection, listCollections } from './collections.ts';
import { explainMissingExtension, makeCollection } from './make-collection.ts';
import { hasTables, migrate } from './migrate.ts';
import { readChunks, readDocuments, readWhole } from './read.ts';
import { searchVectors, searchWords } from './search.ts';
import { PostgresServer, type Query } from '../../../platform/postgres/postgres-server.ts';
import { type Database, nameTables, type Tables } from './tables.ts';
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

/** How errors speak of this server. */
const WORDS = {
  neededFor: 'The knowledge store "postgres"',
  setting: 'endpoint_url',
  passwordSetting: 'api_key',
};

type CollectionWork<T> = (database: Database, collection: CollectionRow) => Promise<T>;

class PostgresStore implements VectorStore {
  readonly driver = 'postgres';
  readonly #server: PostgresServer;
  readonly #tables: Tables;
  readonly #clock: { now(): number };
  #isReady: Promise<void> | undefined;

  constructor({ url, schema = 'pegboard', prefix = '', maxConnections = 10, clock = Date }: PostgresStoreOptions) {
    this.#tables = nameTables(schema, prefix);
    this.#server = new PostgresServer({ url, maxConnections, ...WORDS });
    this.#clock = clock;
  }

  async ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo> {
    checkCollectionName(name);
    const now = this.#clock.now();
    return this.#write((database) => makeCollection(database, { name, embedding, now }));
  }

  async collections(): Promise<CollectionInfo[]> {
    if (!(await this.#isThere())) return [];
    return this.#server.run((query) => listCollections({ query, tables: this.#tables }));
  }

  async dropCollection(name: string): Promise<boolean> {
    const { collections, documents, chunks, postings, vectors } = this.#tables;
    if (!(await this.#isThere())) return false;
    return this.#write(async (database) => {
      const found = await findCollection(database, name, true);
      if (found === undefined) return false;
      const { query } = database;
      const those = `(select key from ${documents} where collection = $1)`;
      await query(`delete from ${chunks} where document in ${those}`, [found.key]);
      for (const table of [documents, postings]) await query(`delete from ${table} where collection = $1`, [found.key]);
      await query(`drop table if exists ${vectors(found.key)}`);
      await query(`delete from ${collections} where key = $1`, [found.key]);
      return true;
    });
  }

  async renameCollections(moves: readonly CollectionMove[]): Promise<void> {
    await this.#write(async (database) => {
      for (const { from, to } of moves) {
        checkCollectionName(to);
        const { key } = await getCollection(database, from, true);
        if ((await findCollection(database, to, true)) !== undefined) throw takenName(to);
        await database.query(`update ${this.#tables.collections} set name = $2 where key = $1`, [key, to]);
      }
    });
  }

  async stats(collection: string): Promise<CollectionStats> {
    return this.#read(collection, async ({ query }, { info, documents, chunks, changed }) => {
      return { ...info, documents, chunks, changedAt: changed, bytes: await this.#measure(query) };
    });
  }

  async upsert(
    collection: string,
    documents: readonly KnowledgeDocument[],
    { embedding }: UpsertOptions = {},
  ): Promise<void> {
    await this.#write(async (database) => {
      const found = await getCollection(database, collection, true);
      if (embedding !== undefined) checkSameEmbedding(found.info, embedding);
      checkDocuments(found.info, documents);
      if (documents.length === 0) return;
      await writeDocuments(database, found, { documents, now: this.#clock.now() });
    });
  }

  async delete(collection: string, filter: DocumentFilter): Promise<number> {
    for (let count = 0; ;) {
      const deleted = await this.#write(async (database) => {
        const found = await getCollection(database, collection, true);
        const keys = (await readDocuments(database, found, { filter, limit: MAX_LIMIT })).map(({ key }) => key);
        if (keys.length > 0) await deleteDocuments(database, found, { keys, now: this.#clock.now() });
        return keys.length;
      });
      count += deleted;
      if (deleted < MAX_LIMIT) return count;
    }
  }

  async search(name: string, request: SearchRequest): Promise<SearchHit[]> {
    return this.#readTogether(name, async (database, collection) => {
      checkRequest(collection.info, request);
      if (collection.terms !== TERMS_VERSION) throw otherWords(name);
      const { filter, among, limit } = request;
      const scope = { collection, filter, among, limit };
      const { embedding } = collection.info;
      if (request.by === 'words') return searchWords(database, { ...scope, text: request.text });
      return embedding === undefined ? [] : searchVectors(database, { ...scope, embedding, vector: request.vector });
    });
  }

  async chunks(name: string, ids: readonly string[]): Promise<StoredChunk[]> {
    return this.#read(name, (database, collection) => readChunks(database, collection, ids));
  }

  async documents(name: string, page: PageRequest = {}): Promise<StoredDocument[]> {
    checkLimit(page.limit ?? MAX_LIMIT);
    const found = await this.#read(name, (database, collection) => readDocuments(database, collection, page));
    return found.map(({ document }) => document);
  }

  async read(name: string, page: PageRequest = {}): Promise<KnowledgeDocument[]> {
    checkLimit(page.limit ?? MAX_LIMIT);
    return this.#readTogether(name, (database, collection) => readWhole(database, collection, page));
  }

  async vectorProblem(): Promise<string | undefined> {
    return this.#server.run(explainMissingExtension);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #read<T>(name: string, work: CollectionWork<T>): Promise<T> {
    if (!(await this.#isThere())) throw unknownCollection(name, []);
    return this.#server.run((query) => this.#readFrom(query, name, work));
  }

  /** Reads one state of the database, also while another process renames and drops collections. */
  async #readTogether<T>(name: string, work: CollectionWork<T>): Promise<T> {
    if (!(await this.#isThere())) throw unknownCollection(name, []);
    return this.#server.transaction((query) => this.#readFrom(query, name, work), { isolation: 'repeatable read' });
  }

  async #readFrom<T>(query: Query, name: string, work: CollectionWork<T>): Promise<T> {
    const database = { query, tables: this.#tables };
    return work(database, await getCollection(database, name));
  }

  async #write<T>(work: (database: Database) => Promise<T>): Promise<T> {
    await this.#prepare();
    return this.#server.transaction((query) => work({ query, tables: this.#tables }));
  }

  /** Whether there are tables to read; to look makes none. */
  async #isThere(): Promise<boolean> {
    if (this.#isReady !== undefined) return this.#isReady.then(() => true);
    const isMade = await this.#server.run((query) => hasTables({ query, tables: this.#tables }));
    if (isMade) this.#isReady ??= Promise.resolve();
    return isMade;
  }

  /** Makes the tables before anything else; tried again by the next call when the server was not there. */
  async #prepare(): Promise<void> {
    // A user who may write but not make tables needs nothing made.
    if (await this.#isThere()) return;
    this.#isReady ??= this.#server.transaction((query) => migrate({ query, tables: this.#tables }));
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
