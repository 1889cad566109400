import { openIndex, toTool } from './contestants.ts';
import { measureSet, type Quality, type Search } from './measure-set.ts';
import type { SetQuery, SetTool, ToolSet } from './read-sets.ts';
import { openMeantIndex } from './with-embedder.ts';

/** The quality of a board's search after it has learned. */
export interface LearnedQuality {
  readonly name: string;
  readonly words: Quality;
  readonly meant: Quality;
}

/** A query and the tool that a board learns for it. */
interface Lesson {
  /** Queries for each tool, at most. */
  readonly most: number;
  /** One in so many queries led to a call of a wrong tool. Default: none. */
  readonly wrong?: number;
  /** The tools that are taught. Default: all. */
  readonly only?: ReadonlySet<string>;
}

const FOLDS = 5;
const TAUGHT = 30;

/**
 * Teaches an index some queries of each tool and asks others.
 *
 * The queries are cut into five parts; each part is asked on an index that learned from the other four, so that every
 * query is asked once and never by an index that knows it.
 */
export async function measureLearning(set: ToolSet): Promise<LearnedQuality[]> {
  const lessons: readonly (readonly [string, Lesson])[] = [
    ['nothing', { most: 0 }],
    ['3 queries a tool', { most: 3 }],
    ['10 queries a tool', { most: 10 }],
    ['10 queries a tool, every fifth for a wrong tool', { most: 10, wrong: 5 }],
  ];
  const results: LearnedQuality[] = [];
  for (const [name, lesson] of lessons) {
    const [words, meant] = [await measureFolds(set, lesson, false), await measureFolds(set, lesson, true)];
    results.push({ name, words, meant });
  }
  const only = new Set(set.tools.slice(0, TAUGHT).map(({ name }) => name));
  const others = set.queries.filter(({ needs }) => !needs.flat().some((name) => only.has(name)));
  for (const [name, most] of [
    ['the other tools before 30 are taught', 0],
    ['the other tools after that', 10],
  ] as const) {
    const measure = async (isMeant: boolean): Promise<Quality> =>
      measureSet(others, await openLearned(set, set.queries, { lesson: { most, only }, isMeant }));
    results.push({ name, words: await measure(false), meant: await measure(true) });
  }
  return results;
}

async function measureFolds(set: ToolSet, lesson: Lesson, isMeant: boolean): Promise<Quality> {
  const folds: Search[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const known = set.queries.filter((_query, place) => place % FOLDS !== fold);
    folds.push(await openLearned(set, known, { lesson, isMeant }));
  }
  const places = new Map(set.queries.map(({ query }, place) => [query, place]));
  return measureSet(set.queries, async (query) => (await folds[(places.get(query) ?? 0) % FOLDS]?.(query)) ?? []);
}

async function openLearned(
  { tools }: ToolSet,
  queries: readonly SetQuery[],
  { lesson: { most, wrong, only }, isMeant }: { readonly lesson: Lesson; readonly isMeant: boolean },
): Promise<Search> {
  const index = isMeant ? await openMeantIndex(tools) : openIndex(tools).index;
  const names = new Map(tools.map((tool) => [tool.name, toTool(tool).metadata.name]));
  const original = new Map([...names].map(([name, own]) => [own, name]));
  const learned = new Map<string, number>();
  let number = 0;
  for (const { query, needs } of queries) {
    for (const right of needs.flat()) {
      if (only?.has(right) === false) continue;
      const isWrong = wrong !== undefined && number++ % wrong === 0;
      const name = isWrong ? otherTool(tools, number) : right;
      const count = learned.get(name) ?? 0;
      if (count >= most) continue;
      learned.set(name, count + 1);
      index.learn(query, names.get(name) ?? name);
    }
  }
  await index.prepare();
  return async (query) => {
    const { hits } = await index.find(query, { wait: Infinity });
    return hits.map(({ name }) => original.get(name) ?? name);
  };
}

/** Another tool each time, without chance. */
function otherTool(tools: readonly SetTool[], number: number): string {
  return tools[(number * 37) % tools.length]?.name ?? '';
}
