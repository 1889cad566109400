import type { Chunk } from '../../chunking/chunk.ts';
import { findMissing } from '../../collection/copy-collection.ts';
import { isSameEmbedding } from '../../stores/collection-errors.ts';
import type { EmbeddingSettings, KnowledgeDocument, StoredDocument } from '../../vector-store.ts';
import { writeDocuments, type WriteTarget } from '../batch-writer.ts';

/** A copy of documents between two collections of a store. */
export interface CarryRequest {
  readonly from: string;
  /** The settings of the vectors in `from`. */
  readonly embedding: EmbeddingSettings | undefined;
  readonly to: WriteTarget;
  readonly isMeant: (document: StoredDocument) => boolean;
  /** Called with the documents that are not selected, a page at a time. */
  readonly onOthers?: (documents: readonly StoredDocument[]) => Promise<void>;
}

const PAGE = 100;

/**
 * Copies documents that are missing or different in the other collection: with their vectors if both have the same
 * embedder, with new ones otherwise. After an interruption, another run continues.
 */
export async function carryDocuments({ from, embedding, to, isMeant, onOthers }: CarryRequest): Promise<void> {
  const { store } = to;
  const hasSameVectors = isSameEmbedding(embedding, to.embedding);
  for (let after: string | undefined; ;) {
    to.signal?.throwIfAborted();
    const page = await store.documents(from, { after, limit: PAGE });
    if (page.length === 0) return;
    const meant = page.filter((document) => isMeant(document));
    const missing = await findMissing(store, to.collection, meant);
    if (missing.length > 0) {
      const documents = await store.read(from, { filter: { documentIds: missing }, limit: PAGE });
      if (hasSameVectors) await store.upsert(to.collection, documents, { embedding });
      else await writeDocuments(to, documents.map(withoutVectors));
    }
    await onOthers?.(page.filter((document) => !isMeant(document)));
    after = page.at(-1)?.id;
  }
}

/** Removes vectors, so that they are computed again. */
export function withoutVectors({ chunks, ...facts }: KnowledgeDocument): Parameters<typeof writeDocuments>[1][number] {
  return {
    ...facts,
    chunks: chunks.map(({ text, headings, lines }): Chunk => ({ text, headings, lines, start: 0, end: text.length })),
  };
}
