import { guessLanguage, type Language } from '../text/guess-language.ts';
import type { Tool } from '../tool/tool.ts';
import type { IndexedTool } from './indexed-tool.ts';
import type { ClosestGroups } from './ranked-result.ts';

/** Tools whose language is checked. */
const SAMPLE = 300;
/** The share of tools in a language from which a board counts as having it. */
const SHARE = 0.05;

/** Writes that nothing was found, with the closest groups. */
export function sayNothingFits(size: number, { categories, sources }: ClosestGroups): string {
  if (size === 0) return 'The board has no tools.';
  const groups = [
    ...(categories.length === 0 ? [] : [`Closest categories: ${categories.join(', ')}.`]),
    ...(sources.length === 0 ? [] : [`Closest sources: ${sources.join(', ')}.`]),
  ];
  return ['No tool fits this query.', ...groups, 'Say what the tool should do in other words.'].join(' ');
}

/** Writes that tools were folded into others. */
export function sayFolded(count: number): string {
  return count === 1
    ? 'One equivalent tool of another source is listed under duplicates.'
    : `${count} equivalent tools of other sources are listed under duplicates.`;
}

/** The note that the hits are a guess. */
export const DOUBT =
  'No tool clearly fits: these match little of the query. Rephrase it; if none fits then, the board has no tool for it.';

/** The query and the tools whose languages are compared. */
interface Languages {
  readonly query: string;
  readonly tools: () => Iterable<IndexedTool>;
  readonly size: number;
  /** Returns true if the query has words that neither English nor the board has. */
  readonly hasOddWords: () => boolean;
}

/**
 * Writes that the query is in a language without tools on the board; `undefined` if there are some. The language of a
 * few words is unknown: if many of them are odd, the note names the language of the tools.
 */
export function sayLanguage({ query, tools, size, hasOddWords }: Languages): string | undefined {
  const asked = guessLanguage(query);
  if (asked === undefined && !hasOddWords()) return undefined;
  const enough = Math.max(1, SHARE * Math.min(size, SAMPLE));
  const spoken = countLanguages(tools(), { size, asked, enough });
  const [most] = [...spoken].toSorted((a, b) => b[1] - a[1]);
  if (most === undefined) return undefined;
  if (asked === undefined) {
    if (most[0] !== 'English' || [...spoken].some(([other, count]) => other !== most[0] && count >= enough))
      return undefined;
    return 'The tools of this board are described in English: if the query is in another language, search again in English.';
  }
  if ((spoken.get(asked) ?? 0) >= enough) return undefined;
  return `The tools of this board are described in ${most[0]}, not in ${asked}: search again in ${most[0]}.`;
}

/** Cached for each tool, because uncertain searches ask again and again. */
const guessed = new WeakMap<Tool, Language | undefined>();

function languageOf(tool: Tool): Language | undefined {
  if (!guessed.has(tool)) guessed.set(tool, guessLanguage(tool.metadata.description));
  return guessed.get(tool);
}

/** The limits of counting: most boards have tools in the query's language and need no further check. */
interface Counting {
  readonly size: number;
  readonly asked: Language | undefined;
  readonly enough: number;
}

/** Counts the languages of tool descriptions, in a sample over the whole board, because sources follow one another. */
function countLanguages(tools: Iterable<IndexedTool>, { size, asked, enough }: Counting): Map<Language, number> {
  const step = Math.max(1, Math.ceil(size / SAMPLE));
  const spoken = new Map<Language, number>();
  let place = 0;
  for (const { tool } of tools) {
    if (place++ % step !== 0) continue;
    const language = languageOf(tool);
    if (language === undefined) continue;
    const count = (spoken.get(language) ?? 0) + 1;
    spoken.set(language, count);
    if (language === asked && count >= enough) break;
  }
  return spoken;
}
