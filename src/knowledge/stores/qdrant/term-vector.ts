import { weighWord } from '../../../text/bm25.ts';
import { countTerms, readTerms, weighTerms } from '../../../text/read-terms.ts';

/** A vector with few non-zero values. */
export interface SparseVector {
  indices: number[];
  values: number[];
}

/** Qdrant weighs a text before the average length is known, so this typical length of a chunk is used. */
const ASSUMED_LENGTH = 100;

/** Weighs the words of a text by BM25 without their rarity, which the server adds (`modifier: idf`). */
export function toTextVector(text: string): SparseVector {
  const terms = readTerms(text);
  return toSparse(countTerms(terms), (count) => weighWord(count, terms.length / ASSUMED_LENGTH));
}

/** Weighs the words of a query. */
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
