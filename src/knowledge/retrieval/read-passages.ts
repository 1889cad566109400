import { readTerms } from '../../text/read-terms.ts';
import { splitWords } from '../../text/split-words.ts';
import { isNote } from '../collection/note.ts';
import type { LineRange, StoredChunk, VectorStore } from '../vector-store.ts';
import type { BestText, FoundHits } from './fuse-hits.ts';
import { withoutHeadings } from '../chunking/chunk.ts';
import type { KnowledgeHit } from './knowledge-search.ts';

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

/** Consecutive words that are compared. */
const SHINGLE = 3;
/** The share of common shingles above which two texts count as the same. */
const ALIKE = 0.95;
/** The prime of the FNV hash. */
const MIX = 0x01000193;

/** Removes passages that nearly repeat a better one, which then lists their places. */
function foldDuplicates(passages: readonly Passage[]): Passage[] {
  const kept: { passage: Passage; shingles: ReadonlySet<number> }[] = [];
  for (const passage of passages) {
    const shingles = toShingles(passage.text);
    // A note that repeats a document with one word changed must not replace it.
    const isStored = isNoted(passage);
    const twin = kept.find((other) => isNoted(other.passage) === isStored && areAlike(other.shingles, shingles));
    if (twin === undefined) {
      kept.push({ passage, shingles });
      continue;
    }
    const places = passage.chunkIds.map((chunkId) => ({ chunkId, sourcePath: passage.sourcePath }));
    twin.passage = { ...twin.passage, duplicates: [...twin.passage.duplicates, ...places] };
  }
  return kept.map(({ passage }) => passage);
}

function isNoted({ documentId, sourcePath }: Passage): boolean {
  return isNote({ id: documentId, sourcePath });
}

/** Hashes every few consecutive words; two different ones collide about once in four billion. */
function toShingles(text: string): Set<number> {
  const words = splitWords(text).map(toNumber);
  const shingles = new Set<number>();
  for (let place = 0; place < Math.max(1, words.length - SHINGLE + 1); place++) {
    let shingle = 0;
    for (let offset = 0; offset < SHINGLE; offset++) shingle = Math.imul(shingle, MIX) + (words[place + offset] ?? 0);
    shingles.add(shingle | 0);
  }
  return shingles;
}

function toNumber(word: string): number {
  let number = word.length;
  for (let place = 0; place < word.length; place++) number = Math.imul(number ^ word.charCodeAt(place), MIX);
  return number;
}

function areAlike(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  if (small.size < ALIKE * large.size) return false;
  let common = 0;
  for (const shingle of small) if (large.has(shingle)) common++;
  return common >= ALIKE * (left.size + right.size - common);
}

/** A hit before explanation. */
export interface Passage extends Omit<KnowledgeHit, 'explanation' | 'highlights' | 'note'> {
  /** The chunk with the best score. */
  readonly best: string;
  /** The texts of its chunks as in the source, with their lines and the heading above each. */
  readonly parts: readonly {
    readonly body: string;
    readonly lines: LineRange | undefined;
    readonly heading: string | undefined;
  }[];
}

interface ScoredChunk {
  readonly chunk: StoredChunk;
  readonly score: number;
}

/** The longest merged passage, in UTF-16 code units. */
const MAX_PASSAGE = 4_000;
const MAX_OVERLAP = 2_000;
const MIN_OVERLAP = 10;
/** The header row of a table and the line below it, at the start of a text. */
export const TABLE_HEADER = /^\|[^\n]*\n\|[-:| \t]*\n/;

/** Merges neighbouring chunks of a document into passages, each ranked like its best chunk. */
function mergeNeighbours(ranked: readonly ScoredChunk[]): Passage[] {
  const groups: ScoredChunk[][] = [];
  for (const scored of ranked) {
    const group = groups.find((candidate) => isNeighbour(candidate, scored));
    if (group === undefined) groups.push([scored]);
    else group.push(scored);
  }
  return groups.map(toPassage);
}

function isNeighbour(group: readonly ScoredChunk[], { chunk }: ScoredChunk): boolean {
  if (group[0]?.chunk.documentId !== chunk.documentId) return false;
  const length = group.reduce((sum, member) => sum + member.chunk.text.length, chunk.text.length);
  return length <= MAX_PASSAGE && group.some((member) => Math.abs(member.chunk.position - chunk.position) === 1);
}

function toPassage(group: readonly ScoredChunk[]): Passage {
  const best = group.reduce((found, member) => (member.score > found.score ? member : found));
  const chunks = group.map(({ chunk }) => chunk).toSorted((a, b) => a.position - b.position);
  const [first = best.chunk] = chunks;
  const { documentId, headings, type, tags, sourcePath } = first;
  const [from, to] = [first.lines?.from, chunks.at(-1)?.lines?.to];
  return {
    best: best.chunk.id,
    parts: chunks.map(({ text, headings, lines }) => ({
      body: withoutHeadings(text, headings),
      lines,
      heading: headings.at(-1),
    })),
    score: best.score,
    text: chunks
      .map(({ text, headings }, place) => (place === 0 ? text : withoutHeadings(text, headings)))
      .reduce(joinTexts),
    documentId,
    chunkIds: chunks.map(({ id }) => id),
    headings,
    lines: from === undefined || to === undefined ? undefined : { from, to },
    type,
    tags,
    sourcePath,
    duplicates: [],
  };
}

/** Joins two texts; the second may begin with the end of the first. */
function joinTexts(left: string, given: string): string {
  const right = withoutTableHeader(given, left);
  const most = Math.min(MAX_OVERLAP, left.length, right.length);
  for (let length = most; length >= MIN_OVERLAP; length--) {
    if (left.endsWith(right.slice(0, length))) return left + right.slice(length);
  }
  return `${left}\n${right}`;
}

/** Removes a table header that a chunk of rows repeats from the text before. */
function withoutTableHeader(text: string, before: string): string {
  const header = TABLE_HEADER.exec(text)?.[0];
  return header !== undefined && before.includes(header) ? text.slice(header.length) : text;
}
