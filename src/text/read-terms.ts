import { eachRun } from './split-words.ts';
import { STOP_WORDS } from './stop-words.ts';
import { WordReader } from './word-reader.ts';

/** Increases when the same text yields other terms; stores then rebuild their terms. */
export const TERMS_VERSION = 1;

/** The weight of a word that only wraps what a query asks for, such as `show` and `with`. */
const WRAPPING_WEIGHT = 0.5;

let reader: WordReader | undefined;

/** Returns the search terms of a text in order and with repeats: lower case, stemmed, without stop words. */
export function readTerms(text: string): string[] {
  return getReader()
    .read(text)
    .map(({ stem }) => stem);
}

/** Returns the terms of a query that say what it asks for, in the form of `readTerms`. */
export function readAskedTerms(query: string): string[] {
  return getReader()
    .readQuery(query)
    .map(({ stem }) => stem);
}

/**
 * Weighs the terms of a query: 1 for each occurrence, half of that for words that only wrap what the query asks for,
 * and less for the parts of a compound, so that `parseJson` does not count like three words. Wrapping words stay,
 * because only they distinguish `not in` from `in`.
 */
export function weighTerms(query: string): Map<string, number> {
  const weights = new Map<string, number>();
  eachRun(query, (run) => {
    const words = getReader().read(run);
    // Pairs of characters, as scripts without spaces give, are words of their own.
    const share = words.at(-1)?.word === run.toLowerCase() ? Math.sqrt(words.length) : 1;
    for (const { stem, isWrapping } of words) {
      const weight = (isWrapping ? WRAPPING_WEIGHT : 1) / share;
      weights.set(stem, (weights.get(stem) ?? 0) + weight);
    }
  });
  return weights;
}

export function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function getReader(): WordReader {
  return (reader ??= new WordReader({ stopWords: STOP_WORDS }));
}

const K1 = 1.2;
const B = 0.75;

/** Returns the BM25 rarity of a word that `documents` of `total` documents contain. Never negative. */
export function inverseFrequency(documents: number, total: number): number {
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

/** Returns what a word that occurs `count` times adds to a text's BM25 score. `relativeLength` is 1 for an average text. */
export function weighWord(count: number, relativeLength: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * relativeLength));
}
