import type { SetQuery } from './read-sets.ts';

/** How well a search does on a set, in percent. */
export interface Quality {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly mrr: number;
  readonly completeness10: number;
}

/** Gives the names of the first ten tools for a query. */
export type Search = (query: string) => readonly string[] | Promise<readonly string[]>;

/** Asks every query and averages. Recall counts needs, nDCG has one gain a need, completeness wants all of them. */
export async function measureSet(queries: readonly SetQuery[], search: Search): Promise<Quality> {
  const sums = { recall1: 0, recall5: 0, recall10: 0, ndcg10: 0, mrr: 0, completeness10: 0 };
  for (const { query, needs } of queries) {
    const found = (await search(query)).slice(0, 10);
    const ranks = needs.map((need) => found.findIndex((name) => need.includes(name)) + 1).filter((rank) => rank > 0);
    const recallAt = (k: number): number => ranks.filter((rank) => rank <= k).length / needs.length;
    const ideal = Array.from({ length: Math.min(needs.length, 10) }, (_, place) => gainAt(place + 1));
    sums.recall1 += recallAt(1);
    sums.recall5 += recallAt(5);
    sums.recall10 += recallAt(10);
    sums.ndcg10 += total(ranks.map(gainAt)) / total(ideal);
    sums.mrr += ranks.length === 0 ? 0 : 1 / Math.min(...ranks);
    sums.completeness10 += ranks.length === needs.length ? 1 : 0;
  }
  const percent = (sum: number): number => (100 * sum) / queries.length;
  return {
    recall1: percent(sums.recall1),
    recall5: percent(sums.recall5),
    recall10: percent(sums.recall10),
    ndcg10: percent(sums.ndcg10),
    mrr: percent(sums.mrr),
    completeness10: percent(sums.completeness10),
  };
}

function gainAt(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
