/** What a search is measured by; each from 0 to 1, averaged over queries. */
export const MEASURES = ['recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'mrr', 'completeness@10'] as const;

/** The name of a measure. */
export type Measure = (typeof MEASURES)[number];

/** A value for each measure. */
export type Measures = Readonly<Record<Measure, number>>;

/** How many places count. */
export const DEPTH = 10;

/**
 * Measures one search. Each need is satisfied by any of its tools.
 *
 * recall@k is the share of needs that are satisfied in the first k places, nDCG has one gain a need, MRR looks at the first
 * need that is satisfied, completeness wants all of them.
 */
export function measureSearch(found: readonly string[], needs: readonly (readonly string[])[]): Measures {
  const first = found.slice(0, DEPTH);
  return measureRanks(needs.map((need) => first.findIndex((name) => need.includes(name)) + 1));
}

/**
 * Measures one search by the place in which each need was satisfied, from 1; 0 for one that was not. One place may satisfy
 * several needs, which is no better than the best order.
 */
export function measureRanks(needs: readonly number[]): Measures {
  const ranks = needs.filter((rank) => rank > 0);
  const recallAt = (k: number): number => ranks.filter((rank) => rank <= k).length / needs.length;
  const ideal = Array.from({ length: Math.min(needs.length, DEPTH) }, (_, place) => gainAt(place + 1));
  return {
    'recall@1': recallAt(1),
    'recall@5': recallAt(5),
    'recall@10': recallAt(10),
    'ndcg@10': Math.min(1, total(ranks.map(gainAt)) / total(ideal)),
    mrr: ranks.length === 0 ? 0 : 1 / Math.min(...ranks),
    'completeness@10': ranks.length === needs.length ? 1 : 0,
  };
}

/** The averages of several searches; 0 for none. With weights, each counts as often as its weight says. */
export function averageMeasures(all: readonly Measures[], weights: readonly number[] = all.map(() => 1)): Measures {
  const weight = total(weights) || 1;
  const average = (measure: Measure): number =>
    total(all.map((one, index) => one[measure] * (weights[index] ?? 0))) / weight;
  // Every measure is in the list.
  return Object.fromEntries(MEASURES.map((measure) => [measure, average(measure)])) as Measures;
}

function gainAt(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
