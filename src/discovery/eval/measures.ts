/** The measures of a search, each from 0 to 1, averaged over queries. */
export const MEASURES = ['recall@1', 'recall@5', 'recall@10', 'ndcg@10', 'mrr', 'completeness@10'] as const;

/** The name of a quality measure. */
export type Measure = (typeof MEASURES)[number];

/** The value of each quality measure. */
export type Measures = Readonly<Record<Measure, number>>;

/** The number of places that count. */
export const DEPTH = 10;

/**
 * Measures one search. Any tool of a need satisfies it.
 *
 * recall@k is the share of needs satisfied in the first k places, nDCG has one gain for each need, MRR uses the first
 * satisfied need, completeness requires all of them.
 */
export function measureSearch(found: readonly string[], needs: readonly (readonly string[])[]): Measures {
  const first = found.slice(0, DEPTH);
  return measureRanks(needs.map((need) => first.findIndex((name) => need.includes(name)) + 1));
}

/**
 * Measures one search by the place that satisfied each need, counted from 1; 0 for none. One place may satisfy several
 * needs, which does not exceed the best order.
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

/** Averages several searches, optionally weighted. Returns 0 for none. */
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

/** The certainty of a search, and if it reported that no tool clearly fits. */
export interface Trust {
  readonly certainty: number;
  readonly isDoubted: boolean;
}

/** Shares of the queries, 0 to 1, for which a search reports that no tool clearly fits. */
export interface DoubtShares {
  /** With the tools on the board: lower is better. */
  readonly there: number;
  /** With the tools removed: higher is better. */
  readonly removed: number;
}

/** The ability of searches to detect a missing tool, with the current limit and the best one. */
export interface Doubt extends DoubtShares {
  /** The result with another `discovery.doubt_below`, with at most one in fifty queries doubted wrongly, if that is better. */
  readonly best?: DoubtShares & { readonly doubtBelow: number };
}

/** The share of queries that may be doubted wrongly. */
const MOST_WRONG = 0.02;
/** With fewer queries, one of them would determine the limit. */
const FEWEST = 50;

/** Measures doubt, and finds the certainty below which a board should doubt. */
export function measureDoubt(runs: readonly Readonly<Record<'there' | 'removed', Trust>>[]): {
  readonly doubt?: Doubt;
} {
  if (runs.length === 0) return {};
  const share = (test: (run: (typeof runs)[number]) => boolean): number => runs.filter(test).length / runs.length;
  const now = { there: share(({ there }) => there.isDoubted), removed: share(({ removed }) => removed.isDoubted) };
  if (runs.length < FEWEST) return { doubt: now };
  const sure = runs.map(({ there }) => there.certainty).toSorted((a, b) => a - b);
  const most = sure[Math.floor(runs.length * MOST_WRONG)] ?? 0;
  // Half-way to the queries that are doubted rightly, and rounded down, because other queries are less certain than
  // these.
  const wrong = Math.max(0, ...runs.map(({ removed }) => removed.certainty).filter((certainty) => certainty < most));
  const doubtBelow = Math.floor(50 * (wrong + most)) / 100;
  const best = {
    doubtBelow,
    there: share(({ there }) => there.certainty < doubtBelow),
    removed: share(({ removed }) => removed.certainty < doubtBelow),
  };
  const isBetter = best.removed > now.removed || now.there > Math.max(MOST_WRONG, best.there);
  return { doubt: isBetter ? { ...now, best } : now };
}
