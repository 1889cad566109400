import type { RankingWeights } from './ranking-weights.ts';
import type { ReadQuery } from './read-query.ts';
import type { TermIndex } from './term-index.ts';
import type { ToolShape } from './tool-shapes.ts';

const IN_FRONT = 1.6;
const IN_DETAILS = 0.6;

/** Scores a candidate again, from its first score and from what would cost too much to compute for every tool. */
export type Rescore = (tool: ToolShape, score: number) => number;

/** Makes the second scoring for a query: words side by side, and how much of a tool's name the query covers. */
export function createRescorer({ terms, pairs }: ReadQuery, index: TermIndex, weights: RankingWeights): Rescore {
  const asked = new Set<number>();
  for (const { term, alternatives } of terms) {
    if (term !== undefined) asked.add(term);
    // A misspelt or shortened word stands for another; a related one only hints at it.
    else for (const other of alternatives) if (other.isSpelling) asked.add(other.term);
  }
  const worth: PairWorth = new Map();
  for (const { first, second, weight } of pairs) {
    const pair = { worth: weights.pair * weight * (index.rarityOf(first) + index.rarityOf(second)) };
    const others = worth.get(first);
    if (others === undefined) worth.set(first, new Map([[second, pair]]));
    else others.set(second, pair);
  }
  return (tool, score) => {
    const paired = score + (worth.size === 0 ? 0 : addPairs(tool, worth));
    return paired * (1 + weights.nameCovered * coverName(tool, asked, index));
  };
}

/** By the first word, then by the second. */
type PairWorth = Map<number, Map<number, { readonly worth: number }>>;

/** Adds up the pairs of words a tool has, each once, at its first place. */
function addPairs({ words, front, details, end }: ToolShape, worth: PairWorth): number {
  const seen: { readonly worth: number }[] = [];
  let total = 0;
  for (let place = front; place + 1 < end; place++) {
    const pair = worth.get(words[place] ?? -1)?.get(words[place + 1] ?? -1);
    if (pair === undefined || seen.includes(pair)) continue;
    seen.push(pair);
    total += pair.worth * (place < details ? IN_FRONT : IN_DETAILS);
  }
  return total;
}

function coverName({ words, name, front }: ToolShape, asked: ReadonlySet<number>, index: TermIndex): number {
  let [covered, whole] = [0, 0];
  for (let place = name; place < front; place++) {
    const term = words[place] ?? 0;
    const rarity = index.rarityOf(term);
    whole += rarity;
    if (asked.has(term)) covered += rarity;
  }
  return whole === 0 ? 0 : covered / whole;
}
