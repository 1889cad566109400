import type { EmbeddingSettings, KnowledgeDocument } from '../vector-store.ts';

/** The embedder of the contract's collections. */
export const TEST_EMBEDDING: EmbeddingSettings = { embedder: 'test', dimension: 4, distance: 'cosine' };

/** A document of one chunk for each text; what is not said is empty. */
export function createDocument(
  id: string,
  texts: readonly (string | { text: string; embedding: readonly number[] })[],
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
