import { readAskedTerms, readTerms } from '../../text/read-terms.ts';
import type { SearchHit } from '../vector-store.ts';
import type { HitExplanation } from './knowledge-search.ts';

/** A chunk with its scores by words and by vectors, and the fused score. */
interface FusedHit {
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

interface FuseOptions {
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

export function explainHit(
  { words, vector }: FusedHit,
  { query, text, before }: { readonly query: string; readonly text: string; readonly before: number | undefined },
): HitExplanation {
  const has = new Set(readTerms(text));
  const terms = [...new Set(readTerms(query))].filter((term) => has.has(term));
  const rerank = before === undefined ? {} : { rerank: { before } };
  return { words: words === undefined ? undefined : { ...words, terms }, vector, ...rerank };
}

/** The gain of a text with all adjacent words of the query next to each other, relative to its score. */
const MOST_NEAR = 0.5;
/** The gain of a text whose headings contain all words of the query. */
const MOST_ABOVE = 1;
/** Words in the order of the query count fully; up to this many words apart, in any order, they count half. */
const WINDOW = 3;
/** The first occurrence counts most: one reaches two thirds, three reach six sevenths. */
const ENOUGH = 0.5;

/**
 * Raises the scores by words of chunks in which the query's words are near each other, as in the query, or in headings.
 * BM25 only counts words, wherever they are. `texts` has the chunks to consider.
 */
export function raiseScores(
  found: FoundHits,
  { query, texts }: { readonly query: string; readonly texts: ReadonlyMap<string, BestText> },
): FoundHits {
  const asked = readAskedTerms(query);
  const pairs = new Set(asked.slice(1).flatMap((next, place) => toPair(asked[place] ?? next, next)));
  const wanted = new Set(asked);
  const factors = new Map(Array.from(texts, ([id, text]) => [id, toFactor(text, { pairs, wanted })]));
  const raise = ({ chunkId, score }: SearchHit): SearchHit => ({ chunkId, score: score * (factors.get(chunkId) ?? 1) });
  return {
    ...found,
    // Equal scores stay in the order of the store.
    words: found.words.map(raise).toSorted((a, b) => b.score - a.score),
    otherWords: found.otherWords.map(raise),
  };
}

/** The words of a query: `pairs` of adjacent words, and all `wanted` words. */
interface AskedWords {
  readonly pairs: ReadonlySet<string>;
  readonly wanted: ReadonlySet<string>;
}

/** Returns the factor for the score of a text: 1 to 2.5. */
function toFactor({ terms, headings }: BestText, asked: AskedWords): number {
  const { pairs, wanted } = asked;
  let near = 0;
  for (const count of countPairs(terms, asked).values()) near += count / (count + ENOUGH);
  let above = 0;
  for (const term of wanted) if (headings.has(term)) above++;
  return 1 + (MOST_NEAR * near) / Math.max(1, pairs.size) + (MOST_ABOVE * above) / Math.max(1, wanted.size);
}

/** Counts how often each pair occurs close together. Looks back a few words from each word, so the time is linear. */
function countPairs(terms: readonly string[], { pairs, wanted }: AskedWords): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (pair: string, weight: number): void => {
    if (pairs.has(pair)) counts.set(pair, (counts.get(pair) ?? 0) + weight);
  };
  for (const [place, term] of terms.entries()) {
    if (!wanted.has(term)) continue;
    for (let distance = 1; distance <= WINDOW && distance <= place; distance++) {
      const before = terms[place - distance];
      if (before === undefined || !wanted.has(before)) continue;
      add(`${before} ${term}`, distance === 1 ? 1 : 0.5);
      add(`${term} ${before}`, 0.5);
    }
  }
  return counts;
}

/** Returns two different adjacent words as a pair. */
function toPair(first: string, second: string): string[] {
  return first === second ? [] : [`${first} ${second}`];
}

/** The number of best hits of each search that determine the weight of words. */
const BEST = 10;
/** Neither search ever decides alone. */
const [LEAST, MOST] = [0.3, 0.7];

/**
 * Returns the weight of words against vectors for one query, from 0 to 1.
 *
 * Short texts often use other words than the question, and one vector captures all they say, so vectors count more. The
 * vector of a long text is an average, so words count more. Words also count more if their best scores are close
 * together: they count relative to the best one, and small differences would be lost beside those of vectors. The
 * numbers were tuned on ten collections, see docs/adr/042-mixing-words-and-vectors.md.
 */
export function weighWords({ words, vectors = [] }: FoundHits, texts: ReadonlyMap<string, BestText>): number {
  const lengths = [...words.slice(0, BEST), ...vectors.slice(0, BEST)].flatMap(
    ({ chunkId }) => texts.get(chunkId)?.terms.length ?? [],
  );
  const best = words[0]?.score ?? 0;
  const closeness = average(words.slice(1, BEST).map(({ score }) => (best === 0 ? 0 : score / best)));
  const weight = -0.27 + 0.15 * Math.log(1 + average(lengths)) + 0.25 * closeness;
  return Math.min(MOST, Math.max(LEAST, weight));
}

function average(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The words of a chunk. */
export interface BestText {
  /** In order, with repeats. */
  readonly terms: readonly string[];
  readonly headings: ReadonlySet<string>;
}
