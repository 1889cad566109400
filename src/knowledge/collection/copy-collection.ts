import { checkSameEmbedding, unknownCollection } from '../stores/check-input.ts';
import type { StoredDocument, VectorStore } from '../vector-store.ts';

interface CopyOptions {
  readonly from: VectorStore;
  readonly to: VectorStore;
  readonly collection: string;
  /** Its name in the other store. Default: the same. */
  readonly as?: string | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of copying a collection. */
export interface CopyProgress {
  /** Documents written. */
  readonly copied: number;
  /** Documents that the other store had already. */
  readonly skipped: number;
  readonly total: number;
}

const BATCH = 100;

/**
 * Copies a collection with its vectors from one store to another, in batches.
 *
 * After an interruption, another run copies only missing and changed documents. Documents that only the other store has
 * stay there.
 */
export async function copyCollection(options: CopyOptions): Promise<CopyProgress> {
  const { from, to, collection, as = collection, onProgress, signal } = options;
  const known = await from.collections();
  const info = known.find(({ name }) => name === collection);
  if (info === undefined) throw unknownCollection(collection, known);
  const { documents: total } = await from.stats(collection);
  const made = await to.ensureCollection(as, info.embedding);
  // A collection with vectors does not accept documents without them.
  if (info.embedding === undefined && made.embedding !== undefined) checkSameEmbedding(info, made.embedding);
  let progress: CopyProgress = { copied: 0, skipped: 0, total };
  for (let after: string | undefined; ;) {
    signal?.throwIfAborted();
    const page = await from.documents(collection, { after, limit: BATCH });
    const missing = await findMissing(to, as, page);
    if (missing.length > 0) {
      const documents = await from.read(collection, { filter: { documentIds: missing }, limit: BATCH });
      await to.upsert(as, documents);
    }
    const { copied, skipped } = progress;
    progress = { copied: copied + missing.length, skipped: skipped + page.length - missing.length, total };
    onProgress?.(progress);
    if (page.length < BATCH) break;
    after = page.at(-1)?.id;
  }
  await to.optimize?.(as, { signal });
  return progress;
}

/** Returns the ids of the documents that a collection lacks or has in another version. */
export async function findMissing(
  to: VectorStore,
  collection: string,
  page: readonly StoredDocument[],
): Promise<string[]> {
  if (page.length === 0) return [];
  const documentIds = page.map(({ id }) => id);
  const there = await to.documents(collection, { filter: { documentIds }, limit: page.length });
  const has = new Map(there.map((document) => [document.id, toMark(document)]));
  return page.filter((document) => has.get(document.id) !== toMark(document)).map(({ id }) => id);
}

/** Returns a text that changes with any stored fact of a document. */
function toMark({ contentHash, type, tags, sourcePath, stamp, chunkCount }: StoredDocument): string {
  return JSON.stringify([contentHash, type, tags, sourcePath, stamp, chunkCount]);
}
