import { readAskedTerms } from '../../text/read-terms.ts';
import type { SearchHit } from '../vector-store.ts';
import type { FoundHits } from './fuse-hits.ts';

/** What a text gains at most that has all neighbouring words of the query beside each other, as a part of its score. */
const MOST = 0.5;
/** Words that follow each other as in the query count whole; up to so many words apart, in any order, they count half. */
const WINDOW = 3;
/** The first time counts most: one place reaches two thirds, three reach six sevenths. */
const ENOUGH = 0.5;

/**
 * Raises the scores by words of chunks in which words that stand beside each other in the query stand near each other:
 * BM25 only counts words, wherever they are. `terms` has the words of the chunks that are looked at. Words stay in order.
 */
export function rewardNearness(
  found: FoundHits,
  { query, terms }: { readonly query: string; readonly terms: ReadonlyMap<string, readonly string[]> },
): FoundHits {
  const asked = readAskedTerms(query);
  const pairs = new Set(asked.slice(1).flatMap((next, place) => toPair(asked[place] ?? next, next)));
  if (pairs.size === 0) return found;
  const wanted = new Set(asked);
  const factors = new Map(Array.from(terms, ([id, text]) => [id, toFactor(text, { pairs, wanted })]));
  const raise = ({ chunkId, score }: SearchHit): SearchHit => ({ chunkId, score: score * (factors.get(chunkId) ?? 1) });
  return {
    ...found,
    // Equal scores stay in the order of the store.
    words: found.words.map(raise).toSorted((a, b) => b.score - a.score),
    otherWords: found.otherWords.map(raise),
  };
}

/** The words of a query that count here: `pairs` beside each other, `wanted` one by one. */
interface AskedWords {
  readonly pairs: ReadonlySet<string>;
  readonly wanted: ReadonlySet<string>;
}

/** By how much to multiply the score of a text: 1 where no pair stands near each other. */
function toFactor(terms: readonly string[], asked: AskedWords): number {
  let sum = 0;
  for (const count of countPairs(terms, asked).values()) sum += count / (count + ENOUGH);
  return 1 + (MOST * sum) / asked.pairs.size;
}

/** How often each pair stands near each other. Looks back a few words from each word: a text of n words takes n steps. */
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

/** Two different words beside each other. */
function toPair(first: string, second: string): string[] {
  return first === second ? [] : [`${first} ${second}`];
}
