import { TERMS_VERSION } from '../../../text/read-terms.ts';
import { runInTurns } from '../../../tool/run-in-turns.ts';
import {
  chunkId,
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
  type UpsertOptions,
  type VectorStore,
} from '../../vector-store.ts';
import {
  checkCollectionName,
  checkDocuments,
  checkEmbeddingSettings,
  checkLimit,
  checkRequest,
  checkSameEmbedding,
  otherWords,
} from '../check-input.ts';
import {
  findCollection,
  getCollection,
  listCollections,
  makeCollection,
  QdrantServer,
  resolvePatterns,
  scrollDocuments,
} from './collections.ts';
import {
  type ChunkPoint,
  DENSE,
  type Filter,
  firstChunks,
  toChunk,
  toFilter,
  toPayload,
  toPointId,
  toPoints,
  toQueryVector,
  toStoredChunk,
  toStoredDocument,
  WORDS,
} from './points.ts';

interface QdrantStoreOptions {
  /** For example `http://host:6333`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
}

/**
 * Opens a store on a Qdrant server (1.10 or later). Needs the package `@qdrant/js-client-rest`.
 *
 * Qdrant has no transactions: while a document is replaced, a search may briefly see chunks of both versions. Words are
 * sparse vectors that the server weighs by rarity.
 */
export function openQdrantStore({ url, apiKey }: QdrantStoreOptions): VectorStore {
  return new QdrantStore(new QdrantServer({ url, apiKey }));
}

type Operation = { upsert: { points: ChunkPoint[] } } | { delete: { filter: Filter } };

class QdrantStore implements VectorStore {
  readonly driver = 'qdrant';
  readonly #server: QdrantServer;

  constructor(server: QdrantServer) {
    this.#server = server;
  }

  async ensureCollection(name: string, embedding: EmbeddingSettings | undefined): Promise<CollectionInfo> {
    checkCollectionName(name);
    if (embedding !== undefined) checkEmbeddingSettings(name, embedding);
    const known = await findCollection(this.#server, name);
    if (known === undefined) return makeCollection(this.#server, { name, embedding, terms: TERMS_VERSION });
    if (known.hasOtherWords) throw otherWords(name);
    if (embedding === undefined) return known.info;
    if ((await this.#count(name, undefined)) > 0) {
      checkSameEmbedding(known.info, embedding);
      return known.info;
    }
    await this.#server.run((client) => client.deleteCollection(name));
    return makeCollection(this.#server, { name, embedding, terms: TERMS_VERSION });
  }

  async collections(): Promise<CollectionInfo[]> {
    return listCollections(this.#server);
  }

  async dropCollection(name: string): Promise<boolean> {
    if ((await findCollection(this.#server, name)) === undefined) return false;
    await this.#server.run((client) => client.deleteCollection(name));
    return true;
  }

  async stats(collection: string): Promise<CollectionStats> {
    const { info } = await getCollection(this.#server, collection);
    const [documents, chunks] = await Promise.all([
      this.#count(collection, {}, true),
      this.#count(collection, undefined),
    ]);
    return { ...info, documents, chunks, changedAt: undefined, bytes: undefined };
  }

  async upsert(
    collection: string,
    documents: readonly KnowledgeDocument[],
    { embedding: made }: UpsertOptions = {},
  ): Promise<void> {
    const { info } = await getCollection(this.#server, collection);
    if (made !== undefined) checkSameEmbedding(info, made);
    checkDocuments(info, documents);
    const { embedding } = info;
    if (documents.length === 0) return;
    // Deletes the extra chunks of a longer old version after the new ones are written, in the same request.
    const operations: Operation[] = [];
    for (const document of documents) {
      operations.push(
        { upsert: { points: await runInTurns(toPoints(document, embedding)) } },
        {
          delete: {
            filter: {
              must: [
                { key: 'document', match: { value: document.id.toWellFormed() } },
                { key: 'position', range: { gte: document.chunks.length } },
              ],
            },
          },
        },
      );
    }
    await this.#server.run((client) => client.batchUpdate(collection, { wait: true, ordering: 'strong', operations }));
  }

  async delete(collection: string, filter: DocumentFilter): Promise<number> {
    await getCollection(this.#server, collection);
    const resolved = await resolvePatterns(this.#server, collection, filter);
    const count = await this.#count(collection, resolved, true);
    if (count > 0) {
      const selector = { wait: true, ordering: 'strong' as const, filter: toFilter(resolved) };
      await this.#server.run((client) => client.delete(collection, selector));
    }
    return count;
  }

  async search(collection: string, request: SearchRequest): Promise<SearchHit[]> {
    const { info, hasOtherWords } = await getCollection(this.#server, collection);
    checkRequest(info, request);
    if (hasOtherWords) throw otherWords(collection);
    const resolved = await resolvePatterns(this.#server, collection, request.filter);
    const query = request.by === 'words' ? toQueryVector(request.text) : Array.from(request.vector);
    if ('indices' in query && query.indices.length === 0) return [];
    const { points } = await this.#server.run((client) =>
      client.query(collection, {
        query,
        using: request.by === 'words' ? WORDS : DENSE,
        filter: toFilter(resolved, request.among),
        limit: request.limit,
        with_payload: ['document', 'position'],
      }),
    );
    request.signal?.throwIfAborted();
    // The only distance for which smaller is nearer.
    const sign = request.by === 'vector' && info.embedding?.distance === 'euclidean' ? -1 : 1;
    const hits = points.map(({ payload, score }) => {
      const { document, position } = toPayload(payload);
      return { chunkId: chunkId(document, position), score: sign * score };
    });
    return hits.toSorted((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  }

  async chunks(collection: string, ids: readonly string[]): Promise<StoredChunk[]> {
    await getCollection(this.#server, collection);
    if (ids.length === 0) return [];
    const pointIds = ids.map((id) => toPointId(id.toWellFormed()));
    const points = await this.#server.run((client) =>
      client.retrieve(collection, { ids: pointIds, with_payload: true }),
    );
    const byId = new Map(points.map(({ id, payload }) => [String(id), toPayload(payload)]));
    return pointIds.flatMap((id) => {
      const payload = byId.get(id);
      return payload === undefined ? [] : [toStoredChunk(payload)];
    });
  }

  async documents(collection: string, page: PageRequest = {}): Promise<StoredDocument[]> {
    checkLimit(page.limit ?? MAX_LIMIT);
    await getCollection(this.#server, collection);
    return (await scrollDocuments(this.#server, collection, page)).map(toStoredDocument);
  }

  async read(collection: string, page: PageRequest = {}): Promise<KnowledgeDocument[]> {
    const documents = await this.documents(collection, page);
    const ids = documents.flatMap(({ id, chunkCount }) =>
      Array.from({ length: chunkCount }, (_, position) => toPointId(chunkId(id, position))),
    );
    const points = await this.#server.run((client) =>
      client.retrieve(collection, { ids, with_payload: true, with_vector: [DENSE] }),
    );
    const chunksOf = Map.groupBy(points, ({ payload }) => toPayload(payload).document);
    return documents.map(({ chunkCount, ...facts }) => ({
      ...facts,
      chunks: (chunksOf.get(facts.id) ?? [])
        .toSorted((a, b) => toPayload(a.payload).position - toPayload(b.payload).position)
        .slice(0, chunkCount)
        .map(({ payload, vector }) => ({ ...toChunk(toPayload(payload)), embedding: toDense(vector) })),
    }));
  }

  async close(): Promise<void> {}

  async #count(collection: string, filter: DocumentFilter | undefined, onlyFirst = false): Promise<number> {
    const wanted = onlyFirst ? firstChunks(toFilter(filter)) : toFilter(filter);
    return (await this.#server.run((client) => client.count(collection, { filter: wanted, exact: true }))).count;
  }
}

function toDense(vector: unknown): Float32Array | undefined {
  if (typeof vector !== 'object' || vector === null || !(DENSE in vector)) return undefined;
  const { [DENSE]: dense } = vector;
  return Array.isArray(dense) ? Float32Array.from(dense) : undefined;
}
