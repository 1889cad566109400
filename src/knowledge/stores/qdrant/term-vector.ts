import { weighWord } from '../../../text/bm25.ts';
import { countTerms, readTerms, weighTerms } from '../../../text/read-terms.ts';

/** Numbers at some places of a very long vector. */
export interface SparseVector {
  indices: number[];
  values: number[];
}

/** Qdrant weighs a text when it is stored, before the average length is known: the length of usual chunks is used instead. */
const ASSUMED_LENGTH = 100;

/** The words of a text, weighed as BM25 does but for how rare they are: the server adds that (`modifier: idf`). */
export function toTextVector(text: string): SparseVector {
  const terms = readTerms(text);
  return toSparse(countTerms(terms), (count) => weighWord(count, terms.length / ASSUMED_LENGTH));
}

/** The words of a query, each with how much it counts there. */
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

/** FNV-1a in 32 bits: two words of a collection share a place once in many thousand collections. */
function hash(term: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(term)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
