import { averageMeasures, type Measures, measureSearch } from '../../src/discovery/eval/measures.ts';
import type { SetQuery } from './read-sets.ts';

/** The quality of a search on a set, in percent. */
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

/** Asks every query and averages, by the measures of `pegboard eval`. */
export async function measureSet(queries: readonly SetQuery[], search: Search): Promise<Quality> {
  const all: Measures[] = [];
  for (const { query, needs } of queries) all.push(measureSearch(await search(query), needs));
  const average = averageMeasures(all);
  return {
    recall1: 100 * average['recall@1'],
    recall5: 100 * average['recall@5'],
    recall10: 100 * average['recall@10'],
    ndcg10: 100 * average['ndcg@10'],
    mrr: 100 * average.mrr,
    completeness10: 100 * average['completeness@10'],
  };
}
