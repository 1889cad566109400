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
