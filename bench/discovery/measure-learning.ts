import { openIndex, toTool } from './contestants.ts';
import { measureSet, type Quality, type Search } from './measure-set.ts';
import type { SetQuery, SetTool, ToolSet } from './read-sets.ts';

/** How well a board finds tools that has learned up to so many queries for each. */
export interface LearnedQuality {
  readonly learned: number;
  readonly quality: Quality;
}

const FOLDS = 5;

/**
 * Teaches an index some queries of each tool and asks others.
 *
 * The queries are cut into five parts; each part is asked on an index that learned from the other four, so that every
 * query is asked once and never by an index that knows it.
 */
export async function measureLearning(
  { tools, queries }: ToolSet,
  counts: readonly number[],
): Promise<LearnedQuality[]> {
  const results: LearnedQuality[] = [];
  for (const learned of counts) {
    const folds = Array.from({ length: FOLDS }, (_, fold) => {
      const known = queries.filter((_query, place) => place % FOLDS !== fold);
      return openLearned(tools, known, learned);
    });
    const places = new Map(queries.map(({ query }, place) => [query, place]));
    const quality = await measureSet(queries, (query) => folds[(places.get(query) ?? 0) % FOLDS]?.(query) ?? []);
    results.push({ learned, quality });
  }
  return results;
}

function openLearned(tools: readonly SetTool[], queries: readonly SetQuery[], most: number): Search {
  const { index } = openIndex(tools);
  const names = new Map(tools.map((tool) => [tool.name, toTool(tool).metadata.name]));
  const original = new Map([...names].map(([name, own]) => [own, name]));
  const learned = new Map<string, number>();
  for (const { query, needs } of queries) {
    for (const name of needs.flat()) {
      const count = learned.get(name) ?? 0;
      if (count >= most) continue;
      learned.set(name, count + 1);
      index.learn(query, names.get(name) ?? name);
    }
  }
  return (query) => index.rank(query).hits.map(({ name }) => original.get(name) ?? name);
}
