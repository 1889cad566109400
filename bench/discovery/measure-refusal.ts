import type { ToolIndex } from './own-names.ts';
import { toTool } from './contestants.ts';
import type { SetQuery, ToolSet } from './read-sets.ts';

/** The share of queries for which a board says that no tool clearly fits, in percent. */
export interface Refusal {
  /** Of queries whose tools are there: the fewer the better. */
  readonly there: number;
  /** Of the same queries without their tools: the more the better. */
  readonly removed: number;
  /** Of queries of the other sets: the more the better. */
  readonly foreign: number;
}

/** As boards are without a word in their config, and with the limit that half of the queries suggest. */
export interface Refusals {
  readonly usual: Refusal;
  readonly own: Refusal;
}

/** Queries of either kind that are asked. */
const ASKED = 150;
/** The share of queries that may be doubted wrongly. */
const MOST_WRONG = 0.02;

/** A way to search: by words, or with a model. */
type Find = (query: string, options: NonNullable<Parameters<ToolIndex['rank']>[1]>) => Answer | Promise<Answer>;
type Answer = Pick<ReturnType<ToolIndex['rank']>, 'hits' | 'certainty' | 'isDoubtful'>;

/** Asks queries of a set with their tools and without them, and queries of other sets. */
export async function measureRefusal(set: ToolSet, others: readonly ToolSet[], find: Find): Promise<Refusals> {
  const names = new Map(set.tools.map((tool) => [tool.name, toTool(tool).metadata.name]));
  const ask = async ({ query, needs }: SetQuery, isRemoved: boolean): Promise<Answer> => {
    const gone = new Set(isRemoved ? needs.flat().map((name) => names.get(name)) : []);
    return find(query, { only: ({ metadata }) => !gone.has(metadata.name) });
  };
  const queries = sample(set.queries, ASKED);
  const foreign = sample(
    others.filter(({ name }) => name !== set.name).flatMap((other) => other.queries),
    ASKED,
  );
  const there = await inTurn(queries, (query) => ask(query, false));
  const removed = await inTurn(queries, (query) => ask(query, true));
  const strange = await inTurn(foreign, (query) => ask(query, false));
  const known = there.filter((_, place) => place % 2 === 0).map(certaintyOf);
  const limit = known.toSorted((a, b) => a - b)[Math.floor(known.length * MOST_WRONG)] ?? 0;
  const isBelow = (answer: Answer): boolean => certaintyOf(answer) < limit;
  const isDoubted = ({ hits, isDoubtful }: Answer): boolean => hits.length === 0 || isDoubtful === true;
  return {
    usual: { there: share(there, isDoubted), removed: share(removed, isDoubted), foreign: share(strange, isDoubted) },
    own: {
      // The other half: those that set the limit are under it by choice.
      there: share(
        there.filter((_, place) => place % 2 === 1),
        isBelow,
      ),
      removed: share(removed, isBelow),
      foreign: share(strange, isBelow),
    },
  };
}

function certaintyOf({ certainty = 0 }: Answer): number {
  return certainty;
}

function share(answers: readonly Answer[], test: (answer: Answer) => boolean): number {
  return (100 * answers.filter(test).length) / answers.length;
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** So many of them, from beginning to end. */
export function sample<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, place) => Math.floor(place / step) !== Math.floor((place - 1) / step));
}
