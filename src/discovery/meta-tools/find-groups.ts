import type { FindOptions, ToolFilter } from '../search-options.ts';
import { DOUBT, type RankedResult } from '../rank-tools.ts';
import type { DiscoveryIndex } from './discovery-view.ts';
import type { FoundTool } from './texts/describe-hit.ts';
import { shortenText } from './texts/shorten-text.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';

/** The tools found for one query. */
export interface FoundGroup {
  readonly query: string;
  readonly tools: readonly FoundTool[];
  /** Tools that also fit but are listed in another group: its number, counted from 1. */
  readonly also: readonly { readonly name: string; readonly group: number }[];
  readonly note: string | undefined;
}

/** With this many needs, or two in a query of `LONG_QUERY` characters, separate queries find more. */
const MANY_NEEDS = 3;
/** The most needs in the example for `queries`: a model copies it and would lose the others. */
const MOST_SHOWN = 6;
const LONG_QUERY = 200;
const NEED_TOKENS = 10;

/** Characters of a query that are read: far more than needed to describe a tool. */
const MOST_QUERY = 4_000;

interface Search extends FindOptions {
  readonly limit: number;
  readonly offset: number;
  /** True if the caller can ask for more tools of the same query. Default: true. */
  readonly hasPages?: boolean;
}

/** Runs each query. A tool is listed only in the group where it fits best. Without a query: tools in the board's order. */
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
    queries.map(async (query) => ({
      query,
      ...(await index.find(bothEnds(query), { ...search, limit: limit + spare })),
    })),
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
  return found.map(({ query, hits, note, ...result }, group) => {
    const own = hits.filter(({ name }) => home.get(name) === group);
    const also = hits.slice(0, limit).flatMap(({ name }) => {
      const other = home.get(name) ?? group;
      return other === group ? [] : [{ name, group: other + 1 }];
    });
    const tools = own.slice(0, limit).flatMap(({ name, cli, score, duplicates, need }): FoundTool[] => {
      const tool = index.get(name);
      return tool === undefined
        ? []
        : [
            {
              tool,
              source: cli,
              score,
              serves: need ?? query,
              ...(duplicates === undefined ? {} : { duplicates }),
            },
          ];
    });
    const more = own.length > tools.length && search.hasPages !== false ? moreNote(search, tools.length) : undefined;
    const remarks =
      hits.length === 0 ? [emptyNote(search, note)] : [...adviceFor({ ...result, query }, queries.length), more];
    return { query, tools, also, note: remarks.filter((remark) => remark !== undefined).join(' ') || undefined };
  });
}

/** Keeps both ends of a long text, where a request usually is. */
function bothEnds(query: string): string {
  const half = MOST_QUERY / 2;
  return query.length <= MOST_QUERY ? query : `${query.slice(0, half)} ${query.slice(-half)}`;
}

/** Writes advice about hits: that they are guesses, or that another language or separate queries find more. */
function adviceFor({ query, needs = [], isDoubtful, language }: Remarked, queries: number): (string | undefined)[] {
  const isLong = needs.length >= MANY_NEEDS || (needs.length > 1 && query.length > LONG_QUERY);
  const example = JSON.stringify(needs.slice(0, MOST_SHOWN).map((need) => shortenText(need, NEED_TOKENS)));
  return [
    isDoubtful === true ? DOUBT : undefined,
    language,
    isLong && queries === 1
      ? `This asks for ${needs.length} things: use queries to find more, such as ${example}.`
      : undefined,
  ];
}

type Remarked = Pick<RankedResult, 'needs' | 'isDoubtful' | 'language'> & { readonly query: string };

/** Writes that nothing was found, and that the filters may be the reason. */
function emptyNote({ category, cli, tag, risk, kind, offset }: Search, note: string | undefined): string | undefined {
  if (note === undefined && offset > 0) return `No more tools: fewer than ${offset + 1} fit.`;
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
  return { query: '', tools, also: [], note: entries.length > tools.length ? moreNote(search, tools.length) : note };
}

function moreNote({ offset }: Search, count: number): string {
  return `More: offset ${offset + count}.`;
}

const MOST_VALUES = 20;
const FILTERS = ['category', 'source', 'tag', 'risk', 'kind'] as const;

/** Names the filter that no tool passes, with the existing values. Returns `undefined` if each filter has tools. */
export function explainFilter(index: DiscoveryIndex, filter: ToolFilter): string | undefined {
  for (const key of FILTERS) {
    const field = key === 'source' ? 'cli' : key;
    const value = filter[field];
    if (typeof value !== 'string') continue;
    const known = index.groups()[key].map(([name]) => name);
    if (known.some((name) => name.toLowerCase() === value.toLowerCase())) continue;
    const nearest = nearestNames(value, known, MOST_VALUES);
    const hint =
      known.length === 0
        ? `No tool has a ${key}.`
        : `There are: ${(nearest.length > 0 && known.length > MOST_VALUES ? nearest : known).slice(0, MOST_VALUES).join(', ')}.`;
    return `No tool has the ${key} ${JSON.stringify(value.slice(0, 80))}. ${hint}`;
  }
  return undefined;
}
