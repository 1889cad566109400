import type { StoredChunk, VectorStore } from '../vector-store.ts';
import { readTerms } from '../../text/read-terms.ts';
import { foldDuplicates } from './fold-duplicates.ts';
import type { FoundHits } from './fuse-hits.ts';
import { mergeNeighbours, type Passage } from './merge-neighbours.ts';

/** Reads the chunks of one search, each once. */
export class ReadChunks {
  readonly #store: VectorStore;
  readonly #collection: string;
  /** `undefined` for chunks that no longer exist. */
  readonly #known = new Map<string, StoredChunk | undefined>();

  constructor(store: VectorStore, collection: string) {
    this.#store = store;
    this.#collection = collection;
  }

  /** Returns the chunks that exist, in the order of the ids. */
  async read(ids: readonly string[]): Promise<StoredChunk[]> {
    const missing = ids.filter((id) => !this.#known.has(id));
    if (missing.length > 0) {
      for (const id of missing) this.#known.set(id, undefined);
      for (const chunk of await this.#store.chunks(this.#collection, missing)) this.#known.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => this.#known.get(id) ?? []);
  }
}

/** The number of best hits of each search to consider: more find hardly more. */
const DEPTH = 20;
/** Characters of a chunk to read for its words: most are far shorter, and long ones must not slow a query. */
const LONGEST = 10_000;

/** The words of a chunk. */
export interface BestText {
  /** In order, with repeats. */
  readonly terms: readonly string[];
  /** The words of its headings. */
  readonly headings: ReadonlySet<string>;
}

/** Reads the words of the best chunks, by id. */
export async function readBestTexts({ words, vectors }: FoundHits, chunks: ReadChunks): Promise<Map<string, BestText>> {
  const ids = [...words.slice(0, DEPTH), ...(vectors ?? []).slice(0, DEPTH)].map(({ chunkId }) => chunkId);
  const read = await chunks.read([...new Set(ids)]);
  return new Map(
    read.map(({ id, text, headings }) => [
      id,
      { terms: readTerms(text.slice(0, LONGEST)), headings: new Set(readTerms(headings.join(' '))) },
    ]),
  );
}

/** Reads texts until there are enough passages, because merging and folding reduce their number. */
export async function readPassages(
  fused: readonly { readonly chunkId: string; readonly score: number }[],
  { chunks, limit }: { readonly chunks: ReadChunks; readonly limit: number },
): Promise<Passage[]> {
  const scores = new Map(fused.map(({ chunkId, score }) => [chunkId, score]));
  let passages: Passage[] = [];
  for (let size = limit + 5; ; size *= 2) {
    const read = await chunks.read(fused.slice(0, size).map(({ chunkId }) => chunkId));
    passages = foldDuplicates(mergeNeighbours(read.map((chunk) => ({ chunk, score: scores.get(chunk.id) ?? 0 }))));
    if (passages.length >= limit || size >= fused.length) return passages.slice(0, limit);
  }
}
