import { guessLanguage, type Language } from '../text/guess-language.ts';
import type { IndexedTool } from './indexed-tool.ts';
import type { ClosestGroups } from './ranked-result.ts';

/** Tools whose language is looked at. */
const SAMPLE = 300;
/** A board has tools in a language from this share of them on. */
const SHARE = 0.05;

/** Says that nothing was found, and what comes closest. */
export function sayNothingFits(size: number, { categories, sources }: ClosestGroups): string {
  if (size === 0) return 'The board has no tools.';
  const groups = [
    ...(categories.length === 0 ? [] : [`Closest categories: ${categories.join(', ')}.`]),
    ...(sources.length === 0 ? [] : [`Closest sources: ${sources.join(', ')}.`]),
  ];
  return ['No tool fits this query.', ...groups, 'Say what the tool should do in other words.'].join(' ');
}

/** Says that tools were folded into others. */
export function sayFolded(count: number): string {
  return count === 1
    ? 'A tool of another source that does the same was folded into its equal; see duplicates.'
    : `${count} tools of other sources that do the same were folded into their equals; see duplicates.`;
}

/** Says that what was found is a guess. */
export const DOUBT =
  'No tool clearly fits: these have little of the query. Say it in other words; if none fits then either, the board has no tool for it.';

/** Says that the query is in a language in which the board has no tools; nothing where it has some, or that is unknown. */
export function sayLanguage(query: string, tools: Iterable<IndexedTool>): string | undefined {
  const asked = guessLanguage(query);
  if (asked === undefined || asked === 'English') return undefined;
  const spoken = new Map<Language, number>();
  let count = 0;
  for (const { tool } of tools) {
    if (count++ >= SAMPLE) break;
    const language = guessLanguage(tool.metadata.description);
    if (language !== undefined) spoken.set(language, (spoken.get(language) ?? 0) + 1);
  }
  const [most] = [...spoken].toSorted((a, b) => b[1] - a[1]);
  if (most === undefined || (spoken.get(asked) ?? 0) >= Math.max(1, SHARE * Math.min(count, SAMPLE))) return undefined;
  return `The tools of this board are described in ${most[0]}, not in ${asked}: search again in ${most[0]}.`;
}
