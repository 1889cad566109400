import { checkSameEmbedding, unknownCollection } from '../stores/collection-errors.ts';
import type { StoredDocument, VectorStore } from '../vector-store.ts';

/** What is copied where. */
export interface CopyOptions {
  readonly from: VectorStore;
  readonly to: VectorStore;
  readonly collection: string;
  /** Its name in the other store. Default: the same. */
  readonly as?: string | undefined;
  /** Told after each batch. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far a copy has come. */
export interface CopyProgress {
  /** Documents that were written. */
  readonly copied: number;
  /** Documents that were there already. */
  readonly skipped: number;
  readonly total: number;
}

/** Documents read and written at a time. */
const BATCH = 100;

/**
 * Copies a collection with its vectors from one store to another, a batch at a time.
 *
 * Run again after an interruption, it copies only what is missing or has changed. Documents that only the other store
 * has stay there.
 */
export async function copyCollection(options: CopyOptions): Promise<CopyProgress> {
  const { from, to, collection, as = collection, onProgress, signal } = options;
  const known = await from.collections();
  const info = known.find(({ name }) => name === collection);
  if (info === undefined) throw unknownCollection(collection, known);
  const { documents: total } = await from.stats(collection);
  const made = await to.ensureCollection(as, info.embedding);
  // Without vectors any collection would do, but one with vectors takes no documents that have none.
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

/** The ids of those documents that a collection does not have, or has otherwise. */
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

/** Changes whenever anything that is kept of a document does. */
function toMark({ contentHash, type, tags, sourcePath, stamp, chunkCount }: StoredDocument): string {
  return JSON.stringify([contentHash, type, tags, sourcePath, stamp, chunkCount]);
}
