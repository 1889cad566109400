import { openIndex } from './contestants.ts';
import type { SetQuery, ToolSet } from './read-sets.ts';

/** How often a board says that no tool clearly fits, in percent of queries. */
export interface Refusal {
  /** Of queries whose tools were taken off the board: the more the better. */
  readonly removed: number;
  /** Of queries of the other sets: the more the better. */
  readonly foreign: number;
  /** Of queries whose tools are there: the fewer the better. */
  readonly kept: number;
}

const FOREIGN = 200;

/** Takes the tools of every other query off a board, and asks all queries, and some of other sets. */
export function measureRefusal(set: ToolSet, others: readonly ToolSet[]): Refusal {
  const removed = set.queries.filter((_, place) => place % 2 === 0);
  const gone = new Set(removed.flatMap(({ needs }) => needs.flat()));
  const kept = set.queries.filter(
    ({ needs }, place) => place % 2 === 1 && !needs.flat().some((name) => gone.has(name)),
  );
  const { index } = openIndex(set.tools.filter((tool) => !gone.has(tool.name)));
  const share = (queries: readonly SetQuery[]): number => {
    const refused = queries.filter(({ query }) => {
      const { hits, isDoubtful } = index.rank(query);
      return hits.length === 0 || isDoubtful === true;
    });
    return queries.length === 0 ? Number.NaN : (100 * refused.length) / queries.length;
  };
  const foreign = others.filter(({ name }) => name !== set.name).flatMap(({ queries }) => queries);
  const step = Math.max(1, Math.floor(foreign.length / FOREIGN));
  return {
    removed: share(removed),
    foreign: share(foreign.filter((_, place) => place % step === 0)),
    kept: share(kept),
  };
}
