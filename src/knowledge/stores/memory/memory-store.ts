import { readTerms } from '../../../text/read-terms.ts';
import { runInTurns } from '../../../tool/run-in-turns.ts';
import {
  chunkId,
  type CollectionInfo,
  type CollectionMove,
  type CollectionStats,
  type DocumentFacts,
  type DocumentFilter,
  type EmbeddingSettings,
  type KnowledgeDocument,
  MAX_LIMIT,
  type PageRequest,
  parseChunkId,
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
  checkEmbeddingSettings,
  checkLimit,
  checkRequest,
} from '../check-input.ts';
import { checkSameEmbedding, takenName, unknownCollection } from '../collection-errors.ts';
import { readPathFilter } from '../match-path.ts';
import { nearness, toKeptVector } from '../nearness.ts';
import { MemoryWords } from './memory-words.ts';

interface MemoryCollection {
  info: CollectionInfo;
  readonly documents: Map<string, KnowledgeDocument>;
  readonly words: MemoryWords;
  changedAt: number;
}

/** Creates a store that is lost when the process ends: for tests and short-lived boards. */
export function createMemoryStore(clock: { now(): number } = Date): VectorStore {
  return new MemoryStore(clock);
}

class MemoryStore implements VectorStore {
  readonly driver = 'memory';
  readonly #collections = new Map<string, MemoryCollection>();
  readonly #clock: { now(): number };

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  async ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo> {
    checkCollectionName(name);
    if (embedding !== undefined) checkEmbeddingSettings(name, embedding);
    const known = this.#collections.get(name);
    if (known === undefined) {
      const info = { name, embedding };
      const changedAt = this.#clock.now();
      this.#collections.set(name, { info, documents: new Map(), words: new MemoryWords(), changedAt });
      return info;
    }
    if (embedding === undefined) return known.info;
    if (known.documents.size === 0) known.info = { name, embedding };
    else checkSameEmbedding(known.info, embedding);
    return known.info;
  }

  async collections(): Promise<CollectionInfo[]> {
    return this.#list();
  }

  async dropCollection(name: string): Promise<boolean> {
    return this.#collections.delete(name);
  }

  async renameCollections(moves: readonly CollectionMove[]): Promise<void> {
    const renamed = new Map(this.#collections);
    for (const { from, to } of moves) {
      checkCollectionName(to);
      const collection = renamed.get(from);
      if (collection === undefined) throw unknownCollection(from, this.#list());
      if (renamed.has(to)) throw takenName(to);
      renamed.delete(from);
      renamed.set(to, collection);
    }
    this.#collections.clear();
    for (const [name, collection] of renamed) {
      collection.info = { ...collection.info, name };
      this.#collections.set(name, collection);
    }
  }

  async stats(collection: string): Promise<CollectionStats> {
    const { info, documents, words, changedAt } = this.#open(collection);
    return { ...info, documents: documents.size, chunks: words.size, changedAt, bytes: undefined };
  }

  async upsert(
    collection: string,
    documents: readonly KnowledgeDocument[],
    { embedding }: UpsertOptions = {},
  ): Promise<void> {
    checkDocuments(this.#open(collection).info, documents);
    const prepared = await runInTurns(prepareDocuments(documents));
    // Opens it after the wait, during which another collection may have taken the name.
    const target = this.#open(collection);
    if (embedding !== undefined) checkSameEmbedding(target.info, embedding);
    checkDocuments(target.info, documents);
    for (const { document, terms } of prepared) {
      removeDocument(target, document.id);
      target.documents.set(document.id, keep(document, target.info.embedding));
      for (const [position, words] of terms.entries()) target.words.add(chunkId(document.id, position), words);
    }
    target.changedAt = this.#clock.now();
  }

  async delete(collection: string, filter: DocumentFilter): Promise<number> {
    const target = this.#open(collection);
    const found = select(target, filter);
    for (const { id } of found) removeDocument(target, id);
    target.changedAt = this.#clock.now();
    return found.length;
  }

  async search(collection: string, request: SearchRequest): Promise<SearchHit[]> {
    const target = this.#open(collection);
    checkRequest(target.info, request);
    const hits = request.by === 'words' ? target.words.search(request.text) : searchVectors(target, request.vector);
    const isSelected = readFilter(request.filter);
    const among = request.among === undefined ? undefined : new Set(request.among);
    return hits
      .filter(({ chunkId: id }) => {
        if (among?.has(id) === false) return false;
        const document = target.documents.get(parseChunkId(id).documentId);
        return document !== undefined && (isSelected === undefined || isSelected(document));
      })
      .toSorted((a, b) => b.score - a.score || compare(a.chunkId, b.chunkId))
      .slice(0, request.limit);
  }

  async chunks(collection: string, ids: readonly string[]): Promise<StoredChunk[]> {
    const { documents } = this.#open(collection);
    return ids.flatMap((id) => {
      const { documentId, position } = parseChunkId(id);
      const document = documents.get(documentId);
      const chunk = document?.chunks[position];
      if (document === undefined || chunk === undefined) return [];
      const { contentHash, type, tags, sourcePath } = document;
      const { text, headings, lines } = chunk;
      return [{ id, documentId, position, text, headings, lines, contentHash, type, tags, sourcePath }];
    });
  }

  async documents(collection: string, page: PageRequest = {}): Promise<StoredDocument[]> {
    return (await this.read(collection, page)).map(({ chunks, ...facts }) => ({ ...facts, chunkCount: chunks.length }));
  }

  async read(collection: string, { filter, after, limit = MAX_LIMIT }: PageRequest = {}): Promise<KnowledgeDocument[]> {
    checkLimit(limit);
    return select(this.#open(collection), filter)
      .filter(({ id }) => after === undefined || id > after)
      .toSorted((a, b) => compare(a.id, b.id))
      .slice(0, limit);
  }

  async close(): Promise<void> {
    this.#collections.clear();
  }

  #list(): CollectionInfo[] {
    return [...this.#collections.values()].map(({ info }) => info).toSorted((a, b) => compare(a.name, b.name));
  }

  #open(name: string): MemoryCollection {
    const collection = this.#collections.get(name);
    if (collection === undefined) throw unknownCollection(name, this.#list());
    return collection;
  }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function keep(document: KnowledgeDocument, embedding: EmbeddingSettings | undefined): KnowledgeDocument {
  if (embedding === undefined) return structuredClone(document);
  const chunks = document.chunks.map((chunk) => {
    const vector = chunk.embedding ?? new Float32Array();
    return { ...chunk, embedding: toKeptVector(vector.slice(), embedding.distance) };
  });
  return { ...document, chunks };
}

function removeDocument(target: MemoryCollection, id: string): void {
  const known = target.documents.get(id);
  if (known === undefined) return;
  for (const position of known.chunks.keys()) target.words.remove(chunkId(id, position));
  target.documents.delete(id);
}

function select({ documents }: MemoryCollection, filter: DocumentFilter | undefined): KnowledgeDocument[] {
  const isSelected = readFilter(filter);
  const all = [...documents.values()];
  return isSelected === undefined ? all : all.filter((document) => isSelected(document));
}

function searchVectors({ documents, info }: MemoryCollection, vector: Float32Array): SearchHit[] {
  const distance = info.embedding?.distance ?? 'cosine';
  const wanted = toKeptVector(vector, distance);
  return [...documents.values()].flatMap(({ id, chunks }) =>
    chunks.map(({ embedding = new Float32Array() }, position) => {
      return { chunkId: chunkId(id, position), score: nearness(embedding, wanted, distance) };
    }),
  );
}

/** Compiles a filter to a test of documents. Returns `undefined` if it selects every document. */
function readFilter(filter: DocumentFilter | undefined): ((document: DocumentFacts) => boolean) | undefined {
  const { type, tags = [], sourcePath, documentIds } = filter ?? {};
  const tests: ((document: DocumentFacts) => boolean)[] = [];
  if (type !== undefined) tests.push((document) => document.type === type);
  if (tags.length > 0) tests.push((document) => tags.every((tag) => document.tags.includes(tag)));
  if (sourcePath !== undefined) {
    const matchesPath = readPathFilter(sourcePath);
    tests.push((document) => matchesPath(document.sourcePath));
  }
  if (documentIds !== undefined) {
    const ids = new Set(documentIds);
    tests.push((document) => ids.has(document.id));
  }
  return tests.length === 0 ? undefined : (document) => tests.every((test) => test(document));
}

/** A document with the words of its chunks, read before the write starts. */
interface PreparedDocument {
  readonly document: KnowledgeDocument;
  readonly terms: readonly (readonly string[])[];
}

/** Reads the words of documents. Yields after each chunk, for `runInTurns`. */
function* prepareDocuments(documents: readonly KnowledgeDocument[]): Generator<void, PreparedDocument[]> {
  const prepared: PreparedDocument[] = [];
  for (const document of documents) {
    const terms: string[][] = [];
    for (const { text } of document.chunks) {
      terms.push(readTerms(text));
      yield;
    }
    prepared.push({ document, terms });
  }
  return prepared;
}
