import { splitWords } from './split-words.ts';
import { stem } from './stem.ts';

const MOST_REMEMBERED = 50_000;

/** A word of a text and the stem it is known by. */
export interface Word {
  readonly word: string;
  readonly stem: string;
  /** The number of its meaning, once it was looked up: the same words come again and again. */
  meaning: number | undefined;
  /** The number it had last in an index of terms; it may stand for another word by now. */
  lastTerm: number;
}

/** Reads texts into stems, and remembers each word it met. */
export class WordReader {
  readonly #words = new Map<string, Word>();

  /** The words of a text without those in `stopWords`. */
  read(text: string, stopWords: ReadonlySet<string>): Word[] {
    const words: Word[] = [];
    for (const word of splitWords(text)) if (!stopWords.has(word)) words.push(this.toWord(word));
    return words;
  }

  /** A lower-case word with its stem. */
  toWord(word: string): Word {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    if (this.#words.size >= MOST_REMEMBERED) this.#words.clear();
    const read = { word, stem: stem(word), meaning: undefined, lastTerm: -1 };
    this.#words.set(word, read);
    return read;
  }
}
