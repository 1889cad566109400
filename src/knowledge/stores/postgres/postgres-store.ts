import { TERMS_VERSION } from '../../../text/read-terms.ts';
import {
  type CollectionInfo,
  type CollectionMove,
  type CollectionStats,
  type DocumentFilter,
  type EmbeddingSettings,
  type KnowledgeDocument,
  MAX_LIMIT,
  type OptimizeOptions,
  type PageRequest,
  type SearchHit,
  type SearchRequest,
  type StoredChunk,
  type StoredDocument,
  type UpsertOptions,
  type VectorStore,
} from '../../vector-store.ts';
import {
  checkCollectionName,
  checkDocuments,
  checkLimit,
  checkRequest,
  checkSameEmbedding,
  otherWords,
  takenName,
  unknownCollection,
} from '../check-input.ts';
import {
  explainMissingExtension,
  findCollection,
  getCollection,
  listCollections,
  makeCollection,
} from './collections.ts';
import { readChunks, readDocuments, readWhole } from './read.ts';
import { dropVectors, findIndex, IndexKeeper, readPgvector } from './vectors/vector-index.ts';
import { searchVectors } from './vectors/search-vectors.ts';
import { searchWords } from './words/search-words.ts';
import { PostgresServer, type Query } from '../../../platform/postgres/postgres-server.ts';
import { deleteDocuments, writeDocuments } from './write.ts';
import { type CollectionRow, type Database, hasTables, migrate, nameTables, type Tables } from './tables.ts';

/** The server and the location in its database. */
interface PostgresStoreOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  /** Separates tenants: a schema for each, or a prefix of the table names. */
  readonly schema?: string;
  readonly prefix?: string;
  readonly maxConnections?: number;
  /** Up to this many vectors are all compared, so that none is missed; larger collections get an index. Default: 10,000. */
  readonly exactUpTo?: number;
  readonly clock?: { now(): number };
}

/**
 * Opens a store in a PostgreSQL database, which many boards can share. Needs the package `pg`.
 *
 * Searching by words needs only PostgreSQL; vectors need its extension pgvector. Tables are created on first use.
 */
export function openPostgresStore(options: PostgresStoreOptions): VectorStore {
  return new PostgresStore(options);
}

/** Terms for this server in error messages. */
const WORDS = {
  neededFor: 'The knowledge store "postgres"',
  setting: 'endpoint_url',
  passwordSetting: 'api_key',
};

const MAX_EXACT = 10_000;
/** Smaller writes come one by one, not from an indexing run, so no `optimize` follows them. */
const FEW_CHUNKS = 32;
/** After this time without writes, a search assumes that a load ended without building an index. */
const QUIET_MS = 60_000;

type CollectionWork<T> = (database: Database, collection: CollectionRow) => Promise<T>;

class PostgresStore implements VectorStore {
  readonly driver = 'postgres';
  readonly #server: PostgresServer;
  readonly #tables: Tables;
  readonly #clock: { now(): number };
  readonly #exactUpTo: number;
  readonly #indexes: IndexKeeper;
  #pgvector: number | undefined;
  #isReady: Promise<void> | undefined;

  constructor(options: PostgresStoreOptions) {
    const { url, schema = 'pegboard', prefix = '', maxConnections = 10, exactUpTo = MAX_EXACT, clock = Date } = options;
    this.#tables = nameTables(schema, prefix);
    this.#server = new PostgresServer({ url, maxConnections, ...WORDS });
    this.#clock = clock;
    this.#exactUpTo = exactUpTo;
    this.#indexes = new IndexKeeper({ server: this.#server, tables: this.#tables, exactUpTo });
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
    const { collections, documents, chunks, words } = this.#tables;
    if (!(await this.#isThere())) return false;
    return this.#write(async (database) => {
      const found = await findCollection(database, name, true);
      if (found === undefined) return false;
      const { query } = database;
      const those = `(select key from ${documents} where collection = $1)`;
      await query(`delete from ${chunks} where document in ${those}`, [found.key]);
      for (const table of [documents, words]) await query(`delete from ${table} where collection = $1`, [found.key]);
      await dropVectors(database, found.key);
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
    const written = await this.#write(async (database) => {
      const found = await getCollection(database, collection, true);
      if (embedding !== undefined) checkSameEmbedding(found.info, embedding);
      checkDocuments(found.info, documents);
      if (documents.length > 0) await writeDocuments(database, found, { documents, now: this.#clock.now() });
      return found;
    });
    if (documents.reduce((sum, { chunks }) => sum + chunks.length, 0) < FEW_CHUNKS) this.#indexes.begin(written);
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
      const { filter, among, limit, signal } = request;
      const scope = { collection, filter, among, limit };
      const { embedding } = collection.info;
      if (request.by === 'words') return searchWords(database, { ...scope, text: request.text, signal });
      if (embedding === undefined) return [];
      const isLarge = collection.chunks > this.#exactUpTo;
      const index = isLarge ? await findIndex(database, collection.key, embedding) : undefined;
      const isQuiet = this.#clock.now() - collection.changed > QUIET_MS;
      if (isLarge && index?.isValid !== true && isQuiet) this.#indexes.begin(collection);
      const usable = index?.isValid === true ? index : undefined;
      // The version only rises, and later versions can do everything that earlier ones can.
      if (usable !== undefined) this.#pgvector ??= await readPgvector(database.query);
      const server = { index: usable, pgvector: this.#pgvector, exactUpTo: this.#exactUpTo };
      return searchVectors(database, { ...scope, ...server, embedding, vector: request.vector });
    });
  }

  async optimize(name: string, options: OptimizeOptions = {}): Promise<string | undefined> {
    const collection = await this.#read(name, (_, row) => Promise.resolve(row));
    const problem = await this.#indexes.build(collection, options);
    if (problem === undefined) return undefined;
    return `The index over the vectors of "${name}" could not be built: ${problem.replace(/\.$/, '')}. Searches compare all ${collection.chunks.toLocaleString('en-US')} vectors until it is.`;
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
    await this.#indexes.close();
    await this.#server.close();
  }

  async #read<T>(name: string, work: CollectionWork<T>): Promise<T> {
    if (!(await this.#isThere())) throw unknownCollection(name, []);
    return this.#server.run((query) => this.#readFrom(query, name, work));
  }

  /** Reads a consistent snapshot, even while another process renames and drops collections. */
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

  /** Returns true if the tables exist; creates none. */
  async #isThere(): Promise<boolean> {
    if (this.#isReady !== undefined) return this.#isReady.then(() => true);
    const isThere = await this.#server.run((query) => hasTables({ query, tables: this.#tables }));
    if (isThere) this.#isReady ??= Promise.resolve();
    return isThere;
  }

  /** Creates the tables if needed. If the server cannot be reached, the next call tries again. */
  async #prepare(): Promise<void> {
    // A user who may write but not create tables can use existing ones.
    if (!(await this.#isThere())) await this.#migrate();
  }

  async #migrate(): Promise<void> {
    this.#isReady ??= this.#server.transaction((query) => migrate({ query, tables: this.#tables }));
    try {
      await this.#isReady;
    } catch (error) {
      this.#isReady = undefined;
      throw error;
    }
  }

  async #measure(query: Query): Promise<number> {
    const { collections, documents, chunks, words, vectors } = this.#tables;
    const keys = await query<{ key: number }>(`select key from ${collections} where embedder is not null`);
    const names = [collections, documents, chunks, words, ...keys.map(({ key }) => vectors(key))];
    const [row] = await query<{ bytes: string }>(
      'select sum(pg_total_relation_size(to_regclass(name))) as bytes from unnest($1::text[]) as name',
      [names],
    );
    return Number(row?.bytes ?? 0);
  }
}
