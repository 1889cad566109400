import type { EmbeddingSettings, KnowledgeDocument, SearchRequest, VectorStore } from '../../knowledge/vector-store.ts';
import type { ContractCheck } from './contract.ts';

/** How a store is tried. */
export interface VectorStoreSubject {
  /** Opens a store that is empty; each check opens its own. */
  readonly open: () => Promise<VectorStore>;
  /** Ends what `open` started; the store is closed then. */
  readonly clean?: () => Promise<void>;
  /** Whether it keeps vectors. Default: true. */
  readonly hasVectors?: boolean;
  /** Whether the average length of texts counts as it is, so that BM25 gives the same numbers. Default: true. */
  readonly hasExactLengths?: boolean;
}

/** The embedder of the contract's collections. */
export const TEST_EMBEDDING: EmbeddingSettings = { embedder: 'test', dimension: 4, distance: 'cosine' };

/** Makes checks that each get a store of their own, closed afterwards. */
export function createStoreChecks(
  subject: VectorStoreSubject,
  prepare: (store: VectorStore) => Promise<unknown> = () => Promise.resolve(),
): (name: string, work: (store: VectorStore) => Promise<void>) => ContractCheck {
  return (name, work) => ({
    name,
    async check() {
      const store = await subject.open();
      try {
        await prepare(store);
        await work(store);
      } finally {
        await store.close();
        await subject.clean?.();
      }
    },
  });
}

/** A document of one chunk for each text; what is not said is empty. */
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

/** The chunks that a search finds in the collection `docs`, best first. */
export async function find(store: VectorStore, request: SearchRequest): Promise<string[]> {
  return (await store.search('docs', request)).map(({ chunkId }) => chunkId);
}

/** The chunks with these words, best first. */
export function findWords(store: VectorStore, text: string, limit = 10): Promise<string[]> {
  return find(store, { by: 'words', text, limit });
}
