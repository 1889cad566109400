import { openSearch } from './contestants.ts';
import type { ToolSet } from './read-sets.ts';

const TOOLS = 200;
/** The most frequent words of queries wrap what is asked for. */
const SKIPPED = 20;

/** The descriptions of a source's 200 tools around their one word, which people use in queries. */
const SHAPES = {
  'their word': (word: string) => word,
  'the same sentence': (word: string) => `The best ${word} tool ever made`,
  'five more words of queries': (_word: string, others: readonly string[]) => others.join(' '),
} as const;
const MORE_WORDS = 5;

/** The names of the shapes, in their order. */
export const FLOODS = Object.keys(SHAPES);

/** For each shape, the percentage of queries for which a source with 200 one-word tools gets into the first ten places. */
export async function measureFloods(set: ToolSet, all: readonly ToolSet[]): Promise<number[]> {
  const { tools, queries } = set;
  const words = wordsOfQueries(set, all);
  const names = new Set(words);
  const shares: number[] = [];
  for (const describe of Object.values(SHAPES)) {
    const flood = words.map((word, place) => ({
      name: word,
      description: describe(word, othersOf(words, place)),
      server: 'flood',
    }));
    const search = openSearch([...tools, ...flood]);
    let entered = 0;
    for (const { query } of queries) if ((await search(query)).some((name) => names.has(name))) entered++;
    shares.push((100 * entered) / queries.length);
  }
  return shares;
}

/** Words that many queries have, and that no tool of the set is called. */
function wordsOfQueries({ tools }: ToolSet, all: readonly ToolSet[]): string[] {
  const counts = new Map<string, number>();
  for (const { query } of all.flatMap((set) => set.queries)) {
    for (const word of new Set(query.toLowerCase().match(/[a-z]{4,}/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const own = new Set(tools.map(({ name }) => name));
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([word]) => word)
    .filter((word) => !own.has(word))
    .slice(SKIPPED, SKIPPED + TOOLS);
}

/** Some of the other words, without chance. */
function othersOf(words: readonly string[], place: number): string[] {
  return Array.from({ length: MORE_WORDS }, (_, number) => words[(place * 7 + (number + 1) * 37) % words.length] ?? '');
}
