import { STOP_WORDS } from './stop-words.ts';
import { WordReader } from './word-reader.ts';

/** Changes when the same text gives other terms: stores that keep terms build theirs anew. */
export const TERMS_VERSION = 1;

let reader: WordReader | undefined;

/** The words a text is found by, in order and with repeats: lower case, stemmed, stop words left out. */
export function readTerms(text: string): string[] {
  reader ??= new WordReader({ stopWords: STOP_WORDS });
  return reader.read(text).map(({ stem }) => stem);
}

/** How often each term stands in a text. */
export function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
