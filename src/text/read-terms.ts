import { eachRun } from './split-words.ts';
import { STOP_WORDS } from './stop-words.ts';
import { WordReader } from './word-reader.ts';

/** Changes when the same text gives other terms: stores that keep terms build theirs anew. */
export const TERMS_VERSION = 1;

/** How much a word counts that only wraps what a query asks for, such as `show` and `with`. */
const WRAPPING_WEIGHT = 0.5;

let reader: WordReader | undefined;

/** The words a text is found by, in order and with repeats: lower case, stemmed, stop words left out. */
export function readTerms(text: string): string[] {
  return getReader()
    .read(text)
    .map(({ stem }) => stem);
}

/** The words of a query that say what it asks for, as `readTerms` gives them. */
export function readAskedTerms(query: string): string[] {
  return getReader()
    .readQuery(query)
    .map(({ stem }) => stem);
}

/**
 * How much each term of a query counts: 1 for each time it stands there, half of that where it only wraps what the query
 * asks for, and less for the parts of a compound, so that `parseJson` does not count like three words. Wrapping words stay,
 * since they tell `not in` from `in` where nothing else does.
 */
export function weighTerms(query: string): Map<string, number> {
  const weights = new Map<string, number>();
  eachRun(query, (run) => {
    const words = getReader().read(run);
    // Pairs of characters, which other scripts give, are words of their own.
    const share = words.at(-1)?.word === run.toLowerCase() ? Math.sqrt(words.length) : 1;
    for (const { stem, isWrapping } of words) {
      const weight = (isWrapping ? WRAPPING_WEIGHT : 1) / share;
      weights.set(stem, (weights.get(stem) ?? 0) + weight);
    }
  });
  return weights;
}

/** How often each term stands in a text. */
export function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function getReader(): WordReader {
  return (reader ??= new WordReader({ stopWords: STOP_WORDS }));
}
