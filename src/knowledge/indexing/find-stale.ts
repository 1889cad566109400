import type { KnowledgeDocument, VectorStore } from '../vector-store.ts';
import type { IndexTarget } from './batch-writer.ts';
import type { SkippedFile } from './index-report.ts';
import { missingPeers } from '../documents/document-refusal.ts';
import { type KnownDocument, readKnownFiles } from './known-files.ts';

/** Differences between the files of a collection and its documents, by their names in the collection. */
export interface StaleFiles {
  /** Files with other content. */
  readonly changed: readonly string[];
  /** Files that are not in the collection yet. */
  readonly added: readonly string[];
  /** Documents whose files no longer exist. */
  readonly removed: readonly string[];
  /** Unchanged files that the current settings, such as `chunk_size`, would split or tag differently. */
  readonly recut: readonly string[];
  /** Files that no installed library can read. */
  readonly unread: readonly string[];
  /** The libraries that could read them. */
  readonly missing: readonly string[];
}

/**
 * Finds the changes that index runs would make. They run against a target that only notes their writes, so the result
 * cannot differ from a real run; no model is asked.
 */
export async function findStale(
  store: VectorStore,
  collection: string,
  index: (target: IndexTarget) => Promise<readonly SkippedFile[]>,
): Promise<StaleFiles> {
  const known = await readKnownFiles(store, collection);
  const found = { changed: [] as string[], added: [] as string[], removed: [] as string[], recut: [] as string[] };
  const skipped = await index({
    collection,
    embedder: undefined,
    store: {
      documents: (name, page) => store.documents(name, page),
      upsert: async (_, documents) => {
        for (const document of documents) found[compare(document, known.get(document.id))].push(document.id);
      },
      delete: async (_, { documentIds = [] }) => found.removed.push(...documentIds),
    },
  });
  const lacking = skipped
    .map(({ path, reason }) => ({ path, peers: missingPeers(reason) }))
    .filter(({ peers }) => peers.length > 0);
  const missing = [...new Set(lacking.flatMap(({ peers }) => peers))].toSorted();
  return { ...found, unread: lacking.map(({ path }) => path), missing };
}

function compare({ stamp }: KnowledgeDocument, before: KnownDocument | undefined): 'added' | 'recut' | 'changed' {
  if (before === undefined) return 'added';
  return fileOf(stamp) !== undefined && fileOf(stamp) === fileOf(before.stamp) ? 'recut' : 'changed';
}

/** Returns size and times, which a stamp begins with. */
function fileOf(stamp: string | undefined): string | undefined {
  return stamp?.split(':', 3).join(':');
}
