import type { IndexedTool } from './indexed-tool.ts';
import type { ClosestGroups } from './ranked-result.ts';

const MOST = 5;

/** The categories and sources of the tools that come nearest, in that order; without any, the largest of the board. */
export function findClosest(nearest: readonly IndexedTool[], all: Iterable<IndexedTool>): ClosestGroups {
  const tools = nearest.length > 0 ? nearest : all;
  const categories = new Map<string, number>();
  const sources = new Map<string, number>();
  for (const { category, cli } of tools) {
    if (category !== null) categories.set(category, (categories.get(category) ?? 0) + 1);
    sources.set(cli, (sources.get(cli) ?? 0) + 1);
  }
  const largest = (groups: ReadonlyMap<string, number>): string[] =>
    [...groups]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, MOST)
      .map(([name]) => name);
  return { categories: largest(categories), sources: largest(sources) };
}
