import { eachRun, splitRun } from './split-words.ts';
import { stem } from './stem.ts';
import { QUERY_STOP_WORDS, STOP_WORDS } from './stop-words.ts';

const MOST_REMEMBERED = 50_000;
/** V8 keeps the whole text a longer part was cut from. */
const LONGEST_CUT = 12;

/** A word of a text and the stem it is known by. */
export interface Word {
  readonly word: string;
  readonly stem: string;
  /** It only wraps what a query asks for. */
  readonly isWrapping: boolean;
  /** A text that has it as a run of its own has this word there, and no other. */
  readonly isPlain: boolean;
  /** The number of its meaning, once it was looked up: the same words come again and again. */
  meaning: number | undefined;
  /** The number it had last in an index of terms; it may stand for another word by now. */
  lastTerm: number;
}

/** Reads texts into stems, and remembers each word it met. */
export class WordReader {
  readonly #words = new Map<string, Word>();
  /** The words of each run of letters that is not a plain word: most runs of a text were met before. */
  readonly #runs = new Map<string, readonly Word[]>();

  /** The words of a text that say something. */
  read(text: string): Word[] {
    const words: Word[] = [];
    eachRun(text, (run) => {
      const word = this.#words.get(run);
      if (word?.isPlain === true) words.push(word);
      else for (const part of this.#runs.get(run) ?? this.#readRun(run)) words.push(part);
    });
    return words;
  }

  /** The words of a query that say something. */
  readQuery(text: string): Word[] {
    return this.read(text).filter(({ isWrapping }) => !isWrapping);
  }

  /** A lower-case word with its stem. */
  toWord(word: string): Word {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    if (this.#words.size >= MOST_REMEMBERED) this.#words.clear();
    const own = cutFree(word);
    const isPlain = splitRun(own).length === 1 && !STOP_WORDS.has(own);
    const isWrapping = QUERY_STOP_WORDS.has(own);
    const read = { word: own, stem: stem(own), isWrapping, isPlain, meaning: undefined, lastTerm: -1 };
    this.#words.set(own, read);
    return read;
  }

  #readRun(run: string): readonly Word[] {
    const words = splitRun(run)
      .filter((word) => !STOP_WORDS.has(word))
      .map((word) => this.toWord(word));
    if (this.#runs.size >= MOST_REMEMBERED) this.#runs.clear();
    if (words[0]?.word !== run || !words[0].isPlain) this.#runs.set(cutFree(run), words);
    return words;
  }
}

function cutFree(part: string): string {
  return part.length > LONGEST_CUT ? Array.from(part).join('') : part;
}
