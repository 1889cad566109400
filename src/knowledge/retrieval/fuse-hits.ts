import type { SearchHit } from '../vector-store.ts';
import { readTerms } from '../../text/read-terms.ts';
import type { HitExplanation } from './knowledge-search.ts';

/** A chunk with its scores by words and by vectors, and what they make together. */
export interface FusedHit {
  readonly chunkId: string;
  readonly score: number;
  readonly words: { readonly rank: number | undefined; readonly score: number } | undefined;
  readonly vector: { readonly rank: number; readonly score: number } | undefined;
}

/** What both ways of searching found. */
export interface FoundHits {
  /** The best by words, best first. */
  readonly words: readonly SearchHit[];
  /** The nearest by vectors, best first; `undefined` when only words were looked for. */
  readonly vectors: readonly SearchHit[] | undefined;
  /** How the chunks that only vectors found score by words. */
  readonly otherWords: readonly SearchHit[];
}

/** How both ways of searching are put together. */
export interface FuseOptions {
  /** How much words count against vectors, from 0 to 1. */
  readonly wordsWeight: number;
}

/**
 * Puts what words and vectors found into one order, best first.
 *
 * Words count as a part of the best score by words, so that a chunk with half the words counts half. Vectors count by
 * where they lie between the nearest and the last that was found: all texts have similar angles, and only the
 * differences matter. A chunk that only vectors found counts with the words it has all the same; otherwise the
 * hundred best by words would all stand above a chunk that is the hundred-and-first.
 */
export function fuseHits({ words, vectors, otherWords }: FoundHits, { wordsWeight }: FuseOptions): FusedHit[] {
  const best = words[0]?.score ?? 0;
  const byWords = rankHits(words);
  if (vectors === undefined) {
    return words.map(({ chunkId, score }, rank) => {
      return { chunkId, score: score / best, words: { rank: rank + 1, score }, vector: undefined };
    });
  }
  const byVector = rankHits(vectors);
  const others = new Map(otherWords.map(({ chunkId, score }) => [chunkId, score]));
  const nearest = vectors[0]?.score ?? 0;
  const range = nearest - (vectors.at(-1)?.score ?? 0);
  const fused = [...new Set([...byWords.keys(), ...byVector.keys()])].map((chunkId): FusedHit => {
    const vector = byVector.get(chunkId);
    const other = others.get(chunkId);
    const word = byWords.get(chunkId) ?? (other === undefined ? undefined : { rank: undefined, score: other });
    const nearness = vector === undefined ? 0 : range === 0 ? 1 : 1 - (nearest - vector.score) / range;
    const match = word === undefined || best === 0 ? 0 : Math.min(1, word.score / best);
    return { chunkId, score: wordsWeight * match + (1 - wordsWeight) * nearness, words: word, vector };
  });
  return fused.toSorted((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
}

function rankHits(hits: readonly SearchHit[]): Map<string, { rank: number; score: number }> {
  return new Map(hits.map(({ chunkId, score }, place) => [chunkId, { rank: place + 1, score }]));
}

/** Says why a hit is where it is. */
export function explainHit(
  { words, vector }: FusedHit,
  { query, text, before }: { readonly query: string; readonly text: string; readonly before: number | undefined },
): HitExplanation {
  const has = new Set(readTerms(text));
  const terms = [...new Set(readTerms(query))].filter((term) => has.has(term));
  const rerank = before === undefined ? {} : { rerank: { before } };
  return { words: words === undefined ? undefined : { ...words, terms }, vector, ...rerank };
}
