import { readAskedTerms, readTerms } from '../../text/read-terms.ts';
import type { SearchHit } from '../vector-store.ts';
import type { FoundHits } from './fuse-hits.ts';
import type { ReadChunks } from './read-passages.ts';

/** How many of the best of each way of searching are looked at: fewer find less, more find hardly more. */
const DEPTH = 30;

/** What a text gains at most that has all neighbouring words of the query beside each other, as a part of its score. */
const MOST = 0.5;
/** Words that follow each other as in the query count whole; up to so many words apart, in any order, they count half. */
const WINDOW = 3;
/** The first time counts most: one place reaches two thirds, three reach six sevenths. */
const ENOUGH = 0.5;

/** Raises the scores by words of the best chunks in which words of the query stand near each other; words stay in order. */
export async function rewardNearness(
  found: FoundHits,
  { query, chunks }: { readonly query: string; readonly chunks: ReadChunks },
): Promise<FoundHits> {
  const factorOf = createNearness(query);
  if (factorOf === undefined) return found;
  const { words, vectors = [], otherWords } = found;
  const has = new Set([...words, ...otherWords].map(({ chunkId }) => chunkId));
  const best = [...words.slice(0, DEPTH), ...vectors.slice(0, DEPTH)].map(({ chunkId }) => chunkId);
  const read = await chunks.read([...new Set(best)].filter((id) => has.has(id)));
  const factors = new Map(read.map(({ id, text }) => [id, factorOf(text)]));
  const raise = ({ chunkId, score }: SearchHit): SearchHit => ({ chunkId, score: score * (factors.get(chunkId) ?? 1) });
  // Equal scores stay in the order of the store.
  const raised = words.map(raise).toSorted((a, b) => b.score - a.score);
  return { ...found, words: raised, otherWords: otherWords.map(raise) };
}

/**
 * Makes a function that says by how much to multiply a text's score by words: 1, and more for a text in which words that
 * stand beside each other in the query stand near each other too. BM25 only counts words, wherever they are. Gives nothing
 * for a query without two words beside each other.
 */
function createNearness(query: string): ((text: string) => number) | undefined {
  const asked = readAskedTerms(query);
  const pairs = new Set<string>();
  for (const [place, term] of asked.entries()) {
    const next = asked[place + 1];
    if (next !== undefined && next !== term) pairs.add(toPair(term, next));
  }
  if (pairs.size === 0) return undefined;
  const wanted = new Set(asked);
  return (text) => {
    let sum = 0;
    for (const count of countPairs(readTerms(text), { pairs, wanted }).values()) sum += count / (count + ENOUGH);
    return 1 + (MOST * sum) / pairs.size;
  };
}

/** How often each pair stands near each other. Looks back from each word, so that a long text takes no longer for its length. */
function countPairs(
  terms: readonly string[],
  { pairs, wanted }: { readonly pairs: ReadonlySet<string>; readonly wanted: ReadonlySet<string> },
): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (pair: string, weight: number): void => {
    if (pairs.has(pair)) counts.set(pair, (counts.get(pair) ?? 0) + weight);
  };
  for (const [place, term] of terms.entries()) {
    if (!wanted.has(term)) continue;
    for (let distance = 1; distance <= WINDOW && distance <= place; distance++) {
      const before = terms[place - distance];
      if (before === undefined || !wanted.has(before)) continue;
      add(toPair(before, term), distance === 1 ? 1 : 0.5);
      add(toPair(term, before), 0.5);
    }
  }
  return counts;
}

function toPair(first: string, second: string): string {
  return `${first} ${second}`;
}
