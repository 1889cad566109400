import { join } from 'node:path';
import { searchKnowledge } from '../../src/knowledge/retrieval/search-knowledge.ts';
import { openSqliteStore } from '../../src/knowledge/stores/sqlite/sqlite-store.ts';
import type { KnowledgeDocument, VectorStore } from '../../src/knowledge/vector-store.ts';
import { type Given, type Opened, textOf } from './contestant.ts';

const LIMIT = 100;
const BATCH = 250;
const EMBEDDING = { embedder: 'minilm', dimension: 384, distance: 'cosine' } as const;

/** A document of one chunk. */
export function toDocument(id: string, text: string, embedding: Float32Array | undefined): KnowledgeDocument {
  const chunks = [{ text, headings: [], lines: undefined, embedding }];
  return { id, contentHash: id, type: 'general', tags: [], sourcePath: undefined, stamp: undefined, chunks };
}

/** Fills a store, a batch at a time. */
export async function fill(store: VectorStore, documents: readonly KnowledgeDocument[]): Promise<void> {
  for (let from = 0; from < documents.length; from += BATCH) {
    await store.upsert('docs', documents.slice(from, from + BATCH));
  }
}

/** Pegboard's own embedded store, as the tools of a board use it. */
export async function openOwn({ set, vectors, folder }: Given, by: 'words' | 'vectors' | 'hybrid'): Promise<Opened> {
  const store = openSqliteStore({ file: join(folder, 'knowledge.db') });
  await store.ensureCollection('docs', by === 'words' ? undefined : EMBEDDING);
  const embeddingOf = (row: number): Float32Array | undefined => (by === 'words' ? undefined : vectors.documents[row]);
  await fill(
    store,
    set.documents.map(({ id, text }, row) => toDocument(id, text, embeddingOf(row))),
  );
  let asked = 0;
  const embedder = {
    id: EMBEDDING.embedder,
    dimension: EMBEDDING.dimension,
    embed: async () => [vectors.queries[asked] ?? new Float32Array()],
    close: async () => undefined,
  };
  return {
    async search(query) {
      asked = query;
      if (by === 'vectors') {
        const vector = vectors.queries[query] ?? new Float32Array();
        const hits = await store.search('docs', { by: 'vector', vector, limit: LIMIT });
        return hits.map(({ chunkId }) => chunkId.slice(0, -2));
      }
      const given = by === 'hybrid' ? embedder : undefined;
      const text = textOf(set, query);
      const { hits } = await searchKnowledge(store, { collection: 'docs', query: text, embedder: given, limit: LIMIT });
      return hits.map(({ documentId }) => documentId);
    },
    close: () => store.close(),
  };
}
