import { ToolError } from '../../../tool/tool-error.ts';
import type { Chunk } from '../../chunking/chunk.ts';
import { findMissing } from '../../collection/copy-collection.ts';
import { isNote } from '../../collection/note.ts';
import { isSameEmbedding } from '../../stores/check-input.ts';
import type { EmbeddingSettings, KnowledgeDocument, StoredDocument } from '../../vector-store.ts';
import { writeDocuments, type WriteTarget } from '../batch-writer.ts';

/** A collection that replaced another, which may have late notes. */
interface ReplacedCollection {
  readonly collection: string;
  readonly to: WriteTarget;
  /** Selects the documents to keep. Default: notes. */
  readonly isSelected?: (document: StoredDocument) => boolean;
}

const PAGE = 100;

/**
 * Copies the documents that only the replaced collection has, then drops it. A note in both gets the tags of both, as
 * if it were stored again. Safe to run twice, and in two processes at once.
 */
export async function settleReplaced({ collection, to, isSelected = isNote }: ReplacedCollection): Promise<void> {
  const { store } = to;
  const from = replacedName(collection);
  if ((await store.collections()).every(({ name }) => name !== from)) return;
  try {
    for (let after: string | undefined; ;) {
      const page = await store.documents(from, { after, limit: PAGE });
      if (page.length === 0) break;
      const selected = page.filter(isSelected);
      if (selected.length > 0) await settlePage(from, to, selected);
      after = page.at(-1)?.id;
    }
  } catch (error) {
    // Another process has finished this.
    if (!(error instanceof ToolError) || error.code !== 'not_found') throw error;
  }
  await store.dropCollection(from);
}

async function settlePage(from: string, to: WriteTarget, page: readonly StoredDocument[]): Promise<void> {
  const { store, collection } = to;
  const documentIds = page.map(({ id }) => id);
  const there = await store.documents(collection, { filter: { documentIds }, limit: PAGE });
  const tagsOf = new Map(there.map(({ id, tags }) => [id, tags]));
  const behind = page.filter(({ id, tags }) => {
    const now = tagsOf.get(id);
    return now === undefined || tags.some((tag) => !now.includes(tag));
  });
  if (behind.length === 0) return;
  const documents = await store.read(from, { filter: { documentIds: behind.map(({ id }) => id) }, limit: PAGE });
  const merged = documents.map((document) => ({
    ...withoutVectors(document),
    tags: [...new Set([...(tagsOf.get(document.id) ?? []), ...document.tags])],
  }));
  await writeDocuments(to, merged);
}

/** A copy of documents between two collections of a store. */
interface CopyDocumentsRequest {
  readonly from: string;
  /** The settings of the vectors in `from`. */
  readonly embedding: EmbeddingSettings | undefined;
  readonly to: WriteTarget;
  readonly isSelected: (document: StoredDocument) => boolean;
  /** Called with the documents that are not selected, a page at a time. */
  readonly onOthers?: (documents: readonly StoredDocument[]) => Promise<void>;
}

/**
 * Copies documents that are missing or different in the other collection: with their vectors if both have the same
 * embedder, with new ones otherwise. After an interruption, another run continues.
 */
export async function copyDocuments({
  from,
  embedding,
  to,
  isSelected,
  onOthers,
}: CopyDocumentsRequest): Promise<void> {
  const { store } = to;
  const hasSameVectors = isSameEmbedding(embedding, to.embedding);
  for (let after: string | undefined; ;) {
    to.signal?.throwIfAborted();
    const page = await store.documents(from, { after, limit: PAGE });
    if (page.length === 0) return;
    const selected = page.filter((document) => isSelected(document));
    const missing = await findMissing(store, to.collection, selected);
    if (missing.length > 0) {
      const documents = await store.read(from, { filter: { documentIds: missing }, limit: PAGE });
      if (hasSameVectors) await store.upsert(to.collection, documents, { embedding });
      else await writeDocuments(to, documents.map(withoutVectors));
    }
    await onOthers?.(page.filter((document) => !isSelected(document)));
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

/** The longest part of a name that is kept, to leave room for the endings below. */
const LONGEST = 119;

/** Returns the name of the collection being built, until it replaces the old one. */
export function buildName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.next`;
}

/** Returns the name of the replaced collection, until its notes are saved. */
export function replacedName(collection: string): string {
  return `${collection.slice(0, LONGEST)}.rebuild`;
}
