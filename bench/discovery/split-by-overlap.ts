import { STOP_WORDS } from '../../src/text/stop-words.ts';
import { WordReader } from '../../src/text/word-reader.ts';
import type { SetQuery, ToolSet } from './read-sets.ts';
import { wordsOf } from './text-of.ts';

/** The queries of a set in two halves: those that share few words with their tools, and those that share many. */
export interface OverlapHalves {
  readonly low: readonly SetQuery[];
  readonly high: readonly SetQuery[];
}

/** Splits the queries at the middle of the share of their words that the tools they need have. */
export function splitByOverlap({ tools, queries }: ToolSet): OverlapHalves {
  const reader = new WordReader({ stopWords: STOP_WORDS });
  const stemsOf = (text: string): Set<string> => new Set(reader.readQuery(text).map(({ stem }) => stem));
  const words = new Map(tools.map((tool) => [tool.name, stemsOf(wordsOf(tool))]));
  const shareOf = ({ query, needs }: SetQuery): number => {
    const asked = stemsOf(query);
    const own = needs.flat().map((name) => words.get(name) ?? new Set());
    const shared = [...asked].filter((stem) => own.some((stems) => stems.has(stem)));
    return asked.size === 0 ? 0 : shared.length / asked.size;
  };
  const sorted = queries
    .map((query) => ({ query, share: shareOf(query) }))
    .toSorted((a, b) => a.share - b.share)
    .map(({ query }) => query);
  const middle = Math.ceil(sorted.length / 2);
  return { low: sorted.slice(0, middle), high: sorted.slice(middle) };
}
