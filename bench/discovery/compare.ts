import type { Contestant } from './contestants.ts';
import { measureSet, type Quality } from './measure-set.ts';
import type { ToolSet } from './read-sets.ts';

/** The figures of every contestant on every set. */
export interface Comparison {
  readonly qualityOf: (set: string, contestant: string) => Quality;
  readonly averageOf: (contestant: string) => Quality;
}

/** Measures contestants on sets. Give one more contestant and it is one more column of the table and bar of the chart. */
export async function compare(sets: readonly ToolSet[], contestants: readonly Contestant[]): Promise<Comparison> {
  const results = new Map<string, Quality>();
  for (const set of sets) {
    for (const contestant of contestants) {
      const quality = await measureSet(set.queries, await contestant.open(set.tools));
      results.set(`${set.name} ${contestant.name}`, quality);
    }
  }
  const qualityOf = (set: string, contestant: string): Quality => {
    const quality = results.get(`${set} ${contestant}`);
    if (quality === undefined) throw new Error(`${contestant} was not measured on ${set}.`);
    return quality;
  };
  return {
    qualityOf,
    averageOf: (contestant) => toAverage(sets.map(({ name }) => qualityOf(name, contestant))),
  };
}

function toAverage(all: readonly Quality[]): Quality {
  const average = (pick: (quality: Quality) => number): number =>
    all.reduce((sum, quality) => sum + pick(quality), 0) / all.length;
  return {
    recall1: average(({ recall1 }) => recall1),
    recall5: average(({ recall5 }) => recall5),
    recall10: average(({ recall10 }) => recall10),
    ndcg10: average(({ ndcg10 }) => ndcg10),
    mrr: average(({ mrr }) => mrr),
    completeness10: average(({ completeness10 }) => completeness10),
  };
}
