import type { EmbeddingSettings, KnowledgeDocument, SearchRequest, VectorStore } from '../../knowledge/vector-store.ts';
import { type ContractCheck, createChecks } from './contract.ts';

/** The vector store to test. */
export interface VectorStoreSubject {
  /** Opens an empty store; each check opens its own. */
  readonly open: () => Promise<VectorStore>;
  /** Cleans up after `open`; the store is already closed. */
  readonly clean?: () => Promise<void>;
  /** True if it stores vectors. Default: true. */
  readonly hasVectors?: boolean;
  /** True if it uses the exact average length of texts, so that BM25 gives the same numbers. Default: true. */
  readonly hasExactLengths?: boolean;
}

/** The embedder of the contract's collections. */
export const TEST_EMBEDDING: EmbeddingSettings = { embedder: 'test', dimension: 4, distance: 'cosine' };

/** Creates checks that each get their own store, closed afterwards. */
export function createStoreChecks(
  subject: VectorStoreSubject,
  prepare: (store: VectorStore) => Promise<unknown> = () => Promise.resolve(),
): (name: string, work: (store: VectorStore) => Promise<void>) => ContractCheck {
  const using = createChecks(subject.open, async (store) => {
    await store.close();
    await subject.clean?.();
  });
  return (name, work) =>
    using(name, async (store) => {
      await prepare(store);
      await work(store);
    });
}

/** Creates a document with one chunk for each text. */
export function createDocument(
  id: string,
  texts: readonly (string | { readonly text: string; readonly embedding: readonly number[] })[],
  facts: Partial<KnowledgeDocument> = {},
): KnowledgeDocument {
  return {
    id,
    contentHash: `hash of ${texts.map((text) => (typeof text === 'string' ? text : text.text)).join()}`,
    type: 'general',
    tags: [],
    sourcePath: undefined,
    stamp: undefined,
    chunks: texts.map((given) => ({
      text: typeof given === 'string' ? given : given.text,
      headings: [],
      lines: undefined,
      embedding: typeof given === 'string' ? undefined : Float32Array.from(given.embedding),
    })),
    ...facts,
  };
}

/** Returns the chunks that a search finds in the collection `docs`, best first. */
export async function find(store: VectorStore, request: SearchRequest): Promise<string[]> {
  return (await store.search('docs', request)).map(({ chunkId }) => chunkId);
}

/** Returns the chunks with these words, best first. */
export function findWords(store: VectorStore, text: string, limit = 10): Promise<string[]> {
  return find(store, { by: 'words', text, limit });
}
