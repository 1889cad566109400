import { createHash } from 'node:crypto';
import { countTerms, readTerms, weighTerms, weighWord } from '../../../text/read-terms.ts';
import {
  chunkId,
  type DocumentFilter,
  type EmbeddingSettings,
  type KnowledgeDocument,
  type NewChunk,
  type StoredChunk,
  type StoredDocument,
} from '../../vector-store.ts';
import { isPattern } from '../match-path.ts';

export interface ChunkPayload {
  readonly kind: 'chunk';
  readonly document: string;
  readonly position: number;
  /** The number of chunks of the document. */
  readonly count: number;
  readonly hash: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly path: string | null;
  /** Every folder above the path, each with a trailing `/`. */
  readonly folders: readonly string[];
  readonly stamp: string | null;
  readonly headings: readonly string[];
  readonly lines: readonly [from: number, to: number] | null;
  readonly text: string;
}

export interface ChunkPoint {
  id: string;
  vector: Record<string, SparseVector | number[]>;
  payload: Record<string, unknown>;
}

/** The names of a point's vectors. */
export const WORDS = 'words';
export const DENSE = 'dense';

export const ABOUT_ID = toPointId('pegboard:about');

/** Derives a UUID from a chunk's id, because Qdrant accepts only numbers and UUIDs. */
export function toPointId(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Converts a document to points. Yields after each, for `runInTurns`. */
export function* toPoints(
  document: KnowledgeDocument,
  embedding: EmbeddingSettings | undefined,
): Generator<void, ChunkPoint[]> {
  const { id, contentHash, type, tags, sourcePath, stamp, chunks } = document;
  const points: ChunkPoint[] = [];
  for (const [position, chunk] of chunks.entries()) {
    const payload: ChunkPayload = {
      kind: 'chunk',
      document: id.toWellFormed(),
      position,
      count: chunks.length,
      hash: contentHash.toWellFormed(),
      type: type.toWellFormed(),
      tags: tags.map((tag) => tag.toWellFormed()),
      path: sourcePath?.toWellFormed() ?? null,
      folders: toFolders(sourcePath?.toWellFormed()),
      stamp: stamp?.toWellFormed() ?? null,
      headings: chunk.headings.map((heading) => heading.toWellFormed()),
      lines: chunk.lines === undefined ? null : [chunk.lines.from, chunk.lines.to],
      text: chunk.text.toWellFormed(),
    };
    const dense = embedding === undefined ? {} : { [DENSE]: Array.from(chunk.embedding ?? []) };
    const vector = { [WORDS]: toTextVector(chunk.text), ...dense };
    points.push({ id: toPointId(chunkId(payload.document, position)), vector, payload: { ...payload } });
    yield;
  }
  return points;
}

/** Casts a payload that this store wrote. */
export function toPayload(payload: unknown): ChunkPayload {
  return payload as ChunkPayload;
}

export function toStoredChunk(payload: ChunkPayload): StoredChunk {
  const { document, position, hash, type, tags, path } = payload;
  const facts = { contentHash: hash, type, tags, sourcePath: path ?? undefined };
  return { id: chunkId(document, position), documentId: document, position, ...toChunk(payload), ...facts };
}

export function toStoredDocument({ document, count, hash, type, tags, path, stamp }: ChunkPayload): StoredDocument {
  const [sourcePath, mark] = [path ?? undefined, stamp ?? undefined];
  return { id: document, contentHash: hash, type, tags, sourcePath, stamp: mark, chunkCount: count };
}

export function toChunk({ text, headings, lines }: ChunkPayload): Omit<NewChunk, 'embedding'> {
  return { text, headings, lines: lines === null ? undefined : { from: lines[0], to: lines[1] } };
}

function toFolders(path: string | undefined): string[] {
  const names = path?.split('/').slice(0, -1) ?? [];
  return names.map((_, place) => `${names.slice(0, place + 1).join('/')}/`);
}

/** A vector with few non-zero values. */
interface SparseVector {
  indices: number[];
  values: number[];
}

/** Qdrant weighs a text before the average length is known, so this typical length of a chunk is used. */
const ASSUMED_LENGTH = 100;

/** Weighs the words of a text by BM25 without their rarity, which the server adds (`modifier: idf`). */
function toTextVector(text: string): SparseVector {
  const terms = readTerms(text);
  return toSparse(countTerms(terms), (count) => weighWord(count, terms.length / ASSUMED_LENGTH));
}

export function toQueryVector(text: string): SparseVector {
  return toSparse(weighTerms(text), (weight) => weight);
}

function toSparse(counts: ReadonlyMap<string, number>, weigh: (count: number) => number): SparseVector {
  const weights = new Map<number, number>();
  for (const [term, count] of counts) {
    const index = hash(term);
    weights.set(index, Math.max(weights.get(index) ?? 0, weigh(count)));
  }
  const sorted = [...weights].toSorted(([a], [b]) => a - b);
  return { indices: sorted.map(([index]) => index), values: sorted.map(([, weight]) => weight) };
}

/** Hashes with FNV-1a in 32 bits: collisions within a collection are rare enough. */
function hash(term: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(term)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

type Condition =
  | { key: string; match: { value: string | number } }
  | { key: string; match: { any: string[] } }
  | { key: string; range: { gte: number } }
  | { has_id: string[] };

export interface Filter {
  must: Condition[];
}

/** Converts a filter for Qdrant, except a path with wildcards: Qdrant has no patterns. */
export function toFilter(filter: DocumentFilter | undefined, among?: readonly string[]): Filter {
  const { type, tags = [], sourcePath, documentIds } = filter ?? {};
  const must: Condition[] = [equals('kind', 'chunk')];
  if (type !== undefined) must.push(equals('type', type.toWellFormed()));
  for (const tag of tags) must.push(equals('tags', tag.toWellFormed()));
  if (sourcePath !== undefined && !isPattern(sourcePath))
    must.push(equals(sourcePath.endsWith('/') ? 'folders' : 'path', sourcePath.toWellFormed()));
  if (documentIds !== undefined)
    must.push({ key: 'document', match: { any: documentIds.map((id) => id.toWellFormed()) } });
  if (among !== undefined) must.push({ has_id: among.map((id) => toPointId(id.toWellFormed())) });
  return { must };
}

/** Selects only the first chunk of each document, which has all facts of the document. */
export function firstChunks(filter: Filter): Filter {
  return { must: [...filter.must, equals('position', 0)] };
}

function equals(key: string, value: string | number): Condition {
  return { key, match: { value } };
}
