import type { DocumentFacts, VectorStore } from '../vector-store.ts';

/** What is compared to tell whether a file has to be read again. */
export type KnownDocument = Pick<DocumentFacts, 'contentHash' | 'stamp' | 'type' | 'tags'>;

/** The documents of a collection that came from files, by their path; what people stored is not among them. */
export async function readKnownFiles(
  store: Pick<VectorStore, 'documents'>,
  collection: string,
  isMeant: (id: string) => boolean = (id) => !isRemote(id),
): Promise<Map<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>();
  let after: string | undefined;
  for (;;) {
    const page = await store.documents(collection, after === undefined ? {} : { after });
    for (const { id, sourcePath, contentHash, stamp, type, tags } of page) {
      if (id === sourcePath && isMeant(id)) known.set(id, { contentHash, stamp, type, tags });
    }
    after = page.at(-1)?.id;
    if (after === undefined) return known;
  }
}

/** Whether the name of a document is that of a page or of a file in a repository, not that of a file of this machine. */
export function isRemote(id: string): boolean {
  // Paths of files have no two slashes in a row.
  return /^(?:https?|git\+(?:https?|ssh|file)):\/\//.test(id);
}
