import { rebuildNotesName, probeName } from './rebuild-names.ts';
import type { Chunk } from '../chunking/chunk.ts';
import { isOtherWords } from '../stores/collection-errors.ts';
import type { CollectionInfo, EmbeddingSettings, KnowledgeDocument, VectorStore } from '../vector-store.ts';
import { writeDocuments, type WriteTarget } from './batch-writer.ts';

/** A collection to rebuild. */
export interface Rebuild {
  readonly store: VectorStore;
  readonly collection: string;
  /** Opens the collection with the current settings. */
  open(): Promise<WriteTarget>;
  /** The current settings. */
  readonly embedding: EmbeddingSettings | undefined;
}

const PAGE = 100;

/**
 * Rebuilds a collection for other vectors and keeps its notes; gives whether that was needed.
 *
 * Notes wait in a collection beside it, so an interruption at any moment loses none: the next rebuild continues there.
 * Documents from files are left to the index run that follows.
 */
export async function rebuildCollection(rebuild: Rebuild): Promise<boolean> {
  const { store, collection, embedding } = rebuild;
  const aside = rebuildNotesName(collection);
  const known = await store.collections();
  const main = known.find(({ name }) => name === collection);
  const waiting = known.find(({ name }) => name === aside);
  const isAsWanted = main !== undefined && isSame(main.embedding, embedding) && !(await hasOtherWords(store, main));
  if (isAsWanted && waiting === undefined) return false;
  if (main !== undefined && !isAsWanted) {
    await tryToMake(store, probeName(collection), embedding);
    await store.ensureCollection(aside, main.embedding);
    for await (const page of pagesOf(store, collection)) {
      const notes = page.filter(({ id, sourcePath }) => id !== sourcePath);
      if (notes.length > 0) await store.upsert(aside, notes);
    }
    await store.dropCollection(collection);
  }
  const target = await rebuild.open();
  for await (const page of pagesOf(store, aside)) await writeDocuments(target, page.map(toPrepared));
  await store.dropCollection(aside);
  return true;
}

async function hasOtherWords(store: VectorStore, { name, embedding }: CollectionInfo): Promise<boolean> {
  try {
    await store.ensureCollection(name, embedding);
    return false;
  } catch (error) {
    if (!isOtherWords(error)) throw error;
    return true;
  }
}

/** A store that cannot keep such vectors, such as PostgreSQL without pgvector, says so before anything is forgotten. */
async function tryToMake(store: VectorStore, name: string, embedding: EmbeddingSettings | undefined): Promise<void> {
  await store.ensureCollection(name, embedding);
  await store.dropCollection(name);
}

async function* pagesOf(store: VectorStore, collection: string): AsyncGenerator<KnowledgeDocument[]> {
  let after: string | undefined;
  for (;;) {
    const page = await store.read(collection, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.id;
  }
}

/** The same passages; only their vectors are made anew. */
function toPrepared({ chunks, ...facts }: KnowledgeDocument): Parameters<typeof writeDocuments>[1][number] {
  return {
    ...facts,
    chunks: chunks.map(({ text, headings, lines }): Chunk => ({ text, headings, lines, start: 0, end: text.length })),
  };
}

function isSame(a: EmbeddingSettings | undefined, b: EmbeddingSettings | undefined): boolean {
  return a?.embedder === b?.embedder && a?.dimension === b?.dimension && a?.distance === b?.distance;
}
