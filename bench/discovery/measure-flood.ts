import { openSearch } from './contestants.ts';
import type { ToolSet } from './read-sets.ts';

const TOOLS = 200;
/** The most frequent words of queries wrap what is asked for. */
const SKIPPED = 20;

/** The percentage of queries for which a source with 200 one-word tools gets into the first ten places. */
export async function measureFlood({ tools, queries }: ToolSet, all: readonly ToolSet[]): Promise<number> {
  const counts = new Map<string, number>();
  for (const { query } of all.flatMap((set) => set.queries)) {
    for (const word of new Set(query.toLowerCase().match(/[a-z]{4,}/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const own = new Set(tools.map(({ name }) => name));
  const words = [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([word]) => word)
    .filter((word) => !own.has(word))
    .slice(SKIPPED, SKIPPED + TOOLS);
  const flood = new Set(words);
  const search = openSearch([...tools, ...words.map((word) => ({ name: word, description: word, server: 'flood' }))]);
  let entered = 0;
  for (const { query } of queries) if ((await search(query)).some((name) => flood.has(name))) entered++;
  return (100 * entered) / queries.length;
}
