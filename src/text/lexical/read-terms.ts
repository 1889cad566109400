import { splitWords } from './split-words.ts';
import { stem } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Changes whenever the same text gives other terms: stores that keep terms build theirs anew. */
export const TERMS_VERSION = 1;

const MAX_REMEMBERED = 50_000;
const remembered = new Map<string, string>();

/** The words a text is found by, in order and with repeats: small letters, stemmed, stop words left out. */
export function readTerms(text: string): string[] {
  const terms: string[] = [];
  for (const word of splitWords(text)) {
    const term = toTerm(word);
    if (term !== '') terms.push(term);
  }
  return terms;
}

/** How often each term stands in a text. */
export function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Few words make up most of any text, so that remembering them saves most of the stemming. */
function toTerm(word: string): string {
  let term = remembered.get(word);
  if (term === undefined) {
    term = STOP_WORDS.has(word) ? '' : stem(word);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(word, term);
  }
  return term;
}
