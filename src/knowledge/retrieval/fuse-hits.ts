import { readTerms } from '../../text/read-terms.ts';
import type { SearchHit } from '../vector-store.ts';
import type { HitExplanation } from './knowledge-search.ts';

/** A chunk with its scores by words and by vectors, and the fused score. */
export interface FusedHit {
  readonly chunkId: string;
  readonly score: number;
  readonly words: { readonly rank: number | undefined; readonly score: number } | undefined;
  readonly vector: { readonly rank: number; readonly score: number } | undefined;
}

/** The hits of both searches. */
export interface FoundHits {
  /** The best by words, best first. */
  readonly words: readonly SearchHit[];
  /** The nearest by vectors, best first; `undefined` if only words were searched. */
  readonly vectors: readonly SearchHit[] | undefined;
  /** Scores by words of the chunks that only vectors found. */
  readonly otherWords: readonly SearchHit[];
}

export interface FuseOptions {
  /** The weight of words against vectors, from 0 to 1. */
  readonly wordsWeight: number;
}

/**
 * Merges the hits by words and by vectors into one order, best first.
 *
 * Words count relative to the best score by words, so a chunk with half the words counts half. Vectors count by their
 * position between the nearest and the last found one: all texts have similar angles, and only the differences matter.
 * A chunk that only vectors found also counts with its words; otherwise the hundred best by words would all rank above
 * the hundred-and-first.
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

/** Explains the rank of a hit. */
export function explainHit(
  { words, vector }: FusedHit,
  { query, text, before }: { readonly query: string; readonly text: string; readonly before: number | undefined },
): HitExplanation {
  const has = new Set(readTerms(text));
  const terms = [...new Set(readTerms(query))].filter((term) => has.has(term));
  const rerank = before === undefined ? {} : { rerank: { before } };
  return { words: words === undefined ? undefined : { ...words, terms }, vector, ...rerank };
}
