/** How sure a search was of its best tool, and whether it said that none clearly fits. */
export interface Trust {
  readonly certainty: number;
  readonly isDoubted: boolean;
}

/** How often searches say that no tool clearly fits: shares of the queries, 0 to 1. */
export interface DoubtShares {
  /** Where the tools are there: the less the better. */
  readonly there: number;
  /** Where they are taken off the board: the more the better. */
  readonly removed: number;
}

/** How well searches tell that a tool is missing, as the board is set and as it could be. */
export interface Doubt extends DoubtShares {
  /** What `discovery.doubt_below` would give for these queries, at most one in fifty of them doubted wrongly; where that is better. */
  readonly best?: DoubtShares & { readonly doubtBelow: number };
}

/** The share of queries that may be doubted wrongly. */
const MOST_WRONG = 0.02;
/** With fewer queries, one of them would set the limit. */
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
  // Half-way to what is doubted rightly: other queries are less sure than these. Rounded down, for the same reason.
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
