import type { DocumentFacts, VectorStore } from '../vector-store.ts';
import { createHash } from 'node:crypto';

/** The facts that show if a file has to be read again. */
export type KnownDocument = Pick<DocumentFacts, 'contentHash' | 'stamp' | 'type' | 'tags'>;

/** Reads the documents of a collection that came from files, by path, without notes. */
export async function readKnownFiles(
  store: Pick<VectorStore, 'documents'>,
  collection: string,
  isSelected: (id: string) => boolean = (id) => !isRemote(id),
): Promise<Map<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>();
  let after: string | undefined;
  for (;;) {
    const page = await store.documents(collection, after === undefined ? {} : { after });
    for (const { id, sourcePath, contentHash, stamp, type, tags } of page) {
      if (id === sourcePath && isSelected(id)) known.set(id, { contentHash, stamp, type, tags });
    }
    after = page.at(-1)?.id;
    if (after === undefined) return known;
  }
}

/** Returns true if a document is a web page or a file in a repository, not a file of this machine. */
export function isRemote(id: string): boolean {
  // Paths of files have no two slashes in a row.
  return /^(?:https?|git\+(?:https?|ssh|file)):\/\//.test(id);
}

/** Hashes content together with the settings it is indexed with: the same hash needs no new indexing. */
export function hashContent(content: Uint8Array | string, settings: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify(settings))
    .update('\0')
    .update(content)
    .digest('base64url')
    .slice(0, 32);
}
