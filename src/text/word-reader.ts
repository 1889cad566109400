import { eachRun, splitRun, type SplitOptions } from './split-words.ts';
import { stem, type StemOptions } from './stem.ts';
import { QUERY_STOP_WORDS } from './stop-words.ts';

const MOST_REMEMBERED = 50_000;
/** Longer runs are keys and encoded data, which do not come again. */
const LONGEST_REMEMBERED = 64;
/** V8 keeps the whole text a longer part was cut from. */
const LONGEST_CUT = 12;

/** A word of a text and its stem. */
export interface Word {
  readonly word: string;
  readonly stem: string;
  /** The word only wraps what a query asks for. */
  readonly isWrapping: boolean;
  /** A text that has it as a run of its own has this word there, and no other. */
  readonly isPlain: boolean;
  /** The number of its meaning, once it was looked up: the same words come again and again. */
  meaning: number | undefined;
  /** The number it had last in an index of terms; it may stand for another word by now. */
  lastTerm: number;
}

/** How texts are read into words. */
export interface WordReaderOptions extends SplitOptions, StemOptions {
  /** Words that are left out. */
  readonly stopWords: ReadonlySet<string>;
}

/** Reads texts into stems, and remembers each word: few words make up most of any text. */
export class WordReader {
  readonly #options: WordReaderOptions;
  readonly #words = new Map<string, Word>();
  /** The words of each run of letters that is not a plain word. */
  readonly #runs = new Map<string, readonly Word[]>();

  constructor(options: WordReaderOptions) {
    this.#options = options;
  }

  /** The words of a text that are not stop words. */
  read(text: string): Word[] {
    const words: Word[] = [];
    eachRun(text, (run) => {
      const word = this.#words.get(run);
      if (word?.isPlain === true) words.push(word);
      else for (const part of this.#runs.get(run) ?? this.#readRun(run)) words.push(part);
    });
    return words;
  }

  /** The words of a query that say what it asks for. */
  readQuery(text: string): Word[] {
    return this.read(text).filter(({ isWrapping }) => !isWrapping);
  }

  /** A lower-case word with its stem. */
  toWord(word: string): Word {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    if (this.#words.size >= MOST_REMEMBERED) this.#words.clear();
    const own = cutFree(word);
    const isPlain = splitRun(own, this.#options).length === 1 && !this.#options.stopWords.has(own);
    const isWrapping = QUERY_STOP_WORDS.has(own);
    const read = { word: own, stem: stem(own, this.#options), isWrapping, isPlain, meaning: undefined, lastTerm: -1 };
    this.#words.set(own, read);
    return read;
  }

  #readRun(run: string): readonly Word[] {
    const words = splitRun(run, this.#options)
      .filter((word) => !this.#options.stopWords.has(word))
      .map((word) => this.toWord(word));
    if (run.length > LONGEST_REMEMBERED) return words;
    if (this.#runs.size >= MOST_REMEMBERED) this.#runs.clear();
    if (words[0]?.word !== run || !words[0].isPlain) this.#runs.set(cutFree(run), words);
    return words;
  }
}

/** A copy that does not keep the text it was cut from in memory. */
function cutFree(part: string): string {
  return part.length > LONGEST_CUT ? Array.from(part).join('') : part;
}
