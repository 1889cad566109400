import { browse, toFilterTest } from './filter-tools.ts';
import { findClosest } from './find-closest.ts';
import type { ToolGroups } from './group-counter.ts';
import { type IndexedTool, toEntry } from './indexed-tool.ts';
import type { ClosestGroups, RankedHit, RankedResult } from './ranked-result.ts';
import { explainMatch } from './ranking/explain-match.ts';
import { type Folded, foldDuplicates } from './ranking/fold-duplicates.ts';
import type { ToolRanker } from './ranking/tool-ranker.ts';
import { type RankOptions, readPage } from './search-options.ts';

/** What orders tools: by their words, or by words and meanings. */
export type Ranker = Pick<ToolRanker, 'find' | 'reading'>;

/** What a ranked search looks through. */
export interface RankedBoard {
  /** Every tool, in the board's order. */
  readonly tools: () => Iterable<IndexedTool>;
  readonly size: number;
  readonly groups: () => ToolGroups;
  readonly ranker: () => Ranker;
}

/** The page that was found, and the whole answer when it is wanted. */
export interface RankedPage {
  readonly found: readonly Folded[];
  toResult(): RankedResult;
}

/** Ranks, folds and cuts out the page. A query of nothing but spaces gives the first tools of the board. */
export function rankTools(query: string, options: RankOptions, board: RankedBoard): RankedPage {
  const { tools, size, ranker } = board;
  const page = readPage(options);
  const { limit, offset } = page;
  const passes = toFilterTest(options);
  if (query.trim() === '') {
    const found = browse(tools(), page, passes).map((indexed) => ({ indexed, score: 0, duplicates: [] }));
    return { found, toResult: () => ({ hits: found.map((one) => toHit(one)) }) };
  }
  const ready = ranker();
  const { found: all, nearest } = ready.find(query, { count: Math.min(offset + limit, size), passes });
  const found = foldDuplicates(all).slice(offset, offset + limit);
  return {
    found,
    toResult: () => {
      if (all.length === 0) {
        const closest = findClosest(nearest, board.groups);
        return { hits: [], note: sayNothingFits(size, closest), closest };
      }
      const hits = found.map((one) => toHit(one, options.explain === true ? { query, ready } : undefined));
      const folded = found.reduce((sum, { duplicates }) => sum + duplicates.length, 0);
      return folded === 0 ? { hits } : { hits, note: sayFolded(folded) };
    },
  };
}

function toHit(folded: Folded, why?: { query: string; ready: Ranker }): RankedHit {
  const { indexed, score, duplicates, similarity } = folded;
  // Not spread: that would convert the schema, which the entry puts off.
  return Object.assign(toEntry(indexed), {
    score: round(score),
    ...(similarity === undefined ? {} : { similarity: round(similarity) }),
    ...(duplicates.length === 0 ? {} : { duplicates }),
    ...(why === undefined ? {} : { matches: explainMatch(why.query, indexed, why.ready.reading) }),
  });
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}

function sayNothingFits(size: number, { categories, sources }: ClosestGroups): string {
  if (size === 0) return 'The board has no tools.';
  const groups = [
    ...(categories.length === 0 ? [] : [`Closest categories: ${categories.join(', ')}.`]),
    ...(sources.length === 0 ? [] : [`Closest sources: ${sources.join(', ')}.`]),
  ];
  return ['No tool fits this query.', ...groups, 'Say what the tool should do in other words.'].join(' ');
}

function sayFolded(count: number): string {
  return count === 1
    ? 'A tool of another source that does the same was folded into its equal; see duplicates.'
    : `${count} tools of other sources that do the same were folded into their equals; see duplicates.`;
}
