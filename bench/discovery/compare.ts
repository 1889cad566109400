import type { Contestant } from './contestants.ts';
import { measureSet, type Quality } from './measure-set.ts';
import type { ToolSet } from './read-sets.ts';

/** What every contestant reached on every set. */
export interface Comparison {
  readonly contestants: readonly string[];
  of(set: string, contestant: string): Quality;
  average(contestant: string): Quality;
}

/** Measures contestants on sets. Give one more contestant and it is one more column of the table and bar of the chart. */
export async function compare(sets: readonly ToolSet[], contestants: readonly Contestant[]): Promise<Comparison> {
  const results = new Map<string, Quality>();
  for (const set of sets) {
    for (const { name, open } of contestants) {
      results.set(`${set.name} ${name}`, await measureSet(set.queries, await open(set.tools)));
    }
  }
  const of = (set: string, contestant: string): Quality => {
    const quality = results.get(`${set} ${contestant}`);
    if (quality === undefined) throw new Error(`${contestant} was not measured on ${set}.`);
    return quality;
  };
  return {
    contestants: contestants.map(({ name }) => name),
    of,
    average: (contestant) => averageOf(sets.map(({ name }) => of(name, contestant))),
  };
}

function averageOf(all: readonly Quality[]): Quality {
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
