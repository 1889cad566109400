import type { DocumentFacts, VectorStore } from '../vector-store.ts';

/** What is compared to tell whether a file has to be read again. */
export type KnownDocument = Pick<DocumentFacts, 'contentHash' | 'stamp' | 'type' | 'tags'>;

/** The documents of a collection that came from files, by their path; what people stored is not among them. */
export async function readKnownFiles(
  store: Pick<VectorStore, 'documents'>,
  collection: string,
): Promise<Map<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>();
  let after: string | undefined;
  for (;;) {
    const page = await store.documents(collection, after === undefined ? {} : { after });
    for (const { id, sourcePath, contentHash, stamp, type, tags } of page) {
      if (id === sourcePath) known.set(id, { contentHash, stamp, type, tags });
    }
    after = page.at(-1)?.id;
    if (after === undefined) return known;
  }
}
