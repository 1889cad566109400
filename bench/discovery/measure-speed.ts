import MiniSearch from 'minisearch';
import { collectGarbage } from '../rounds.ts';
import { openIndex, toTool } from './contestants.ts';
import type { SetTool, ToolSet } from './read-sets.ts';
import { parametersOf } from './text-of.ts';

const BOARD = 17_000;
const BUILT = 10_000;

/** The cost of a large board, in milliseconds. */
export interface Speed {
  readonly build: number;
  readonly query: Percentiles;
  readonly miniSearch: Percentiles;
  readonly update: Percentiles;
  readonly longestTurn: number;
}

/** The middle, and what one in a hundred exceeds. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures a board of all sets' tools, repeated under other names until there are enough. */
export async function measureSpeed(sets: readonly ToolSet[]): Promise<Speed> {
  const known = sets.flatMap(({ tools }) => tools);
  const tools = Array.from({ length: BOARD }, (_, number): SetTool => {
    const tool = known[number % known.length];
    if (tool === undefined) throw new Error('The sets have no tools.');
    return { ...tool, name: `${tool.name}_${number}` };
  });
  const queries = sets.flatMap((set) => set.queries.filter((_, number) => number % 8 === 0).map(({ query }) => query));

  const small = openIndex(tools.slice(0, BUILT));
  const build = time(() => small.index.rank('anything'));
  const { index, registry } = openIndex(tools);
  collectGarbage();
  const longestTurn = await watchTurns(() => index.prepare());
  for (const query of queries.slice(0, 300)) index.search({ query, rank: true });
  const query = percentiles(queries.map((text) => time(() => index.search({ query: text, rank: true }))));
  // Opened only now: its garbage would be collected on our time.
  const mini = new MiniSearch({ fields: ['name', 'description', 'parameters'], storeFields: ['name'] });
  mini.addAll(tools.map((tool, id) => ({ id, ...tool, parameters: parametersOf(tool) })));
  return {
    build,
    query,
    miniSearch: percentiles(queries.slice(0, 200).map((text) => time(() => mini.search(text)))),
    update: percentiles(
      tools.slice(0, 1_000).map((tool, number) => {
        const next = toTool({ ...tool, description: `${tool.description} (${number})` });
        return time(() => {
          registry.update(next.metadata.name, next);
          // Tools wait to be indexed until a ranked search needs them.
          index.search({ query: 'zzz', rank: true, limit: 1 });
        });
      }),
    ),
    longestTurn,
  };
}

/** The longest time the event loop stood still meanwhile. */
async function watchTurns(work: () => Promise<void>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

function time(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Percentiles of times. */
export function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN };
}
