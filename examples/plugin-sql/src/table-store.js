import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createMemoryStore } from 'pegboard/rag';

/** @import { KnowledgeDocument, StoreSettings, VectorStore } from 'pegboard/rag' */

/**
 * `driver: table`: documents as rows of a table that any SQL client can read. Searches run in memory, so it is for small
 * collections, and for one process at a time.
 *
 * @param {Pick<StoreSettings, 'name' | 'url' | 'data' | 'base'>} settings
 * @returns {Promise<VectorStore>}
 */
export async function openTableStore({ name, url, data, base }) {
  const file =
    url !== undefined ? resolve(base, url) : data === undefined ? ':memory:' : join(data, `${name}.table.db`);
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const store = new TableStore(new DatabaseSync(file));
  await store.load();
  return store;
}

/** @implements {VectorStore} */
class TableStore {
  driver = 'table';
  #memory = createMemoryStore();
  #isOpen = true;
  /** @type {DatabaseSync} */
  #database;

  /** @param {DatabaseSync} database */
  constructor(database) {
    this.#database = database;
    database.exec(`CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, embedding TEXT);
      CREATE TABLE IF NOT EXISTS documents (collection TEXT, id TEXT, document TEXT, PRIMARY KEY (collection, id));`);
  }

  /** Reads the tables into memory. */
  async load() {
    for (const { name, embedding } of this.#all('SELECT name, embedding FROM collections')) {
      await this.#memory.ensureCollection(String(name), JSON.parse(String(embedding)) ?? undefined);
      const rows = this.#all('SELECT document FROM documents WHERE collection = ?', String(name));
      const documents = rows.map(({ document }) => fromText(String(document)));
      await this.#memory.upsert(String(name), documents);
    }
  }

  /** @type {VectorStore['ensureCollection']} */
  async ensureCollection(name, embedding) {
    const info = await this.#memory.ensureCollection(name, embedding);
    this.#run('INSERT OR REPLACE INTO collections VALUES (?, ?)', name, JSON.stringify(info.embedding ?? null));
    return info;
  }

  collections() {
    return this.#memory.collections();
  }

  /** @param {string} name */
  async dropCollection(name) {
    this.#run('DELETE FROM documents WHERE collection = ?', name);
    this.#run('DELETE FROM collections WHERE name = ?', name);
    return this.#memory.dropCollection(name);
  }

  /** @param {string} collection */
  stats(collection) {
    return this.#memory.stats(collection);
  }

  /** @type {VectorStore['upsert']} */
  async upsert(collection, documents) {
    // A faulty document is refused here, before anything is written.
    await this.#memory.upsert(collection, documents);
    this.#database.exec('BEGIN');
    try {
      for (const document of documents) {
        this.#run('INSERT OR REPLACE INTO documents VALUES (?, ?, ?)', collection, document.id, toText(document));
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** @type {VectorStore['delete']} */
  async delete(collection, filter) {
    /** @type {string | undefined} */
    let after;
    do {
      const page = await this.#memory.documents(collection, { filter, after });
      for (const { id } of page) this.#run('DELETE FROM documents WHERE collection = ? AND id = ?', collection, id);
      after = page.at(-1)?.id;
    } while (after !== undefined);
    return this.#memory.delete(collection, filter);
  }

  /** @type {VectorStore['search']} */
  search(collection, request) {
    return this.#memory.search(collection, request);
  }

  /** @type {VectorStore['chunks']} */
  chunks(collection, ids) {
    return this.#memory.chunks(collection, ids);
  }

  /** @type {VectorStore['documents']} */
  documents(collection, page) {
    return this.#memory.documents(collection, page);
  }

  /** @type {VectorStore['read']} */
  read(collection, page) {
    return this.#memory.read(collection, page);
  }

  async close() {
    if (this.#isOpen) this.#database.close();
    this.#isOpen = false;
    await this.#memory.close();
  }

  /**
   * @param {string} query
   * @param {string[]} values
   */
  #all(query, ...values) {
    return this.#database.prepare(query).all(...values);
  }

  /**
   * @param {string} query
   * @param {string[]} values
   */
  #run(query, ...values) {
    this.#database.prepare(query).run(...values);
  }
}

/**
 * JSON escapes what SQLite's text could not carry.
 *
 * @param {KnowledgeDocument} document
 */
function toText({ chunks, ...facts }) {
  const plain = chunks.map(({ embedding, ...chunk }) => ({ ...chunk, embedding: embedding && [...embedding] }));
  return JSON.stringify({ ...facts, chunks: plain });
}

/**
 * @param {string} text
 * @returns {KnowledgeDocument}
 */
function fromText(text) {
  const { chunks, sourcePath, stamp, ...facts } = JSON.parse(text);
  const whole = chunks.map((/** @type {any} */ { embedding, lines, ...chunk }) => ({
    ...chunk,
    lines,
    embedding: embedding && Float32Array.from(embedding),
  }));
  return { ...facts, sourcePath, stamp, chunks: whole };
}
