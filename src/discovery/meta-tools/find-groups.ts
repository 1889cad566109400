import type { FindOptions } from '../search-options.ts';
import type { DiscoveryIndex } from './discovery-target.ts';
import type { FoundTool } from './texts/present-hits.ts';

/** What one query found. */
export interface FoundGroup {
  readonly query: string;
  readonly tools: readonly FoundTool[];
  /** Tools that fit too and stand in another group: its number, from 1. */
  readonly also: readonly { readonly name: string; readonly group: number }[];
  readonly note: string | undefined;
}

interface Search extends FindOptions {
  readonly limit: number;
  readonly offset: number;
}

/** Answers each query. A tool is listed only in the group where it fits best. Without a query: tools in the board's order. */
export async function findGroups(
  index: DiscoveryIndex,
  queries: readonly string[],
  search: Search,
): Promise<FoundGroup[]> {
  const { limit } = search;
  if (queries.length === 0) return [browse(index, search)];
  // A group that loses a tool to another takes its next best tool instead.
  const spare = queries.length === 1 ? 1 : limit + 1;
  const found = await Promise.all(
    queries.map(async (query) => ({ query, ...(await index.find(query, { ...search, limit: limit + spare })) })),
  );
  const home = new Map<string, number>();
  const place = new Map<string, number>();
  for (const [group, { hits }] of found.entries()) {
    for (const [rank, { name }] of hits.entries()) {
      if (rank >= (place.get(name) ?? Infinity)) continue;
      place.set(name, rank);
      home.set(name, group);
    }
  }
  return found.map(({ query, hits, note }, group) => {
    const own = hits.filter(({ name }) => home.get(name) === group);
    const also = hits.slice(0, limit).flatMap(({ name }) => {
      const other = home.get(name) ?? group;
      return other === group ? [] : [{ name, group: other + 1 }];
    });
    const tools = own.slice(0, limit).flatMap(({ name, cli, score, duplicates }): FoundTool[] => {
      const tool = index.get(name);
      return tool === undefined
        ? []
        : [{ tool, source: cli, score, ...(duplicates === undefined ? {} : { duplicates }) }];
    });
    const more = own.length > tools.length ? sayMore(search, tools.length) : undefined;
    return { query, tools, also, note: hits.length === 0 ? sayNothing(search, note) : more };
  });
}

/** Says that nothing was found, and that the filters may be the reason. */
function sayNothing({ category, cli, tag, risk, kind }: Search, note: string | undefined): string | undefined {
  const isFiltered = [category, cli, tag, risk, kind].some((value) => typeof value === 'string');
  return isFiltered && note !== undefined ? `${note} Or search without the filters.` : note;
}

function browse(index: DiscoveryIndex, search: Search): FoundGroup {
  const { limit } = search;
  const entries = index.search({ ...search, limit: limit + 1 });
  const tools = entries.slice(0, limit).flatMap(({ name, cli }): FoundTool[] => {
    const tool = index.get(name);
    return tool === undefined ? [] : [{ tool, source: cli }];
  });
  const note = tools.length === 0 ? 'No tool passes these filters.' : undefined;
  return { query: '', tools, also: [], note: entries.length > tools.length ? sayMore(search, tools.length) : note };
}

function sayMore({ offset }: Search, count: number): string {
  return `More: offset ${offset + count}.`;
}
