import { eachRun, splitRun, type SplitOptions } from './split-words.ts';
import { stem, type StemOptions } from './stem.ts';
import { QUERY_STOP_WORDS } from './stop-words.ts';

const MOST_REMEMBERED = 50_000;
/** Longer runs are keys and encoded data, which rarely repeat. */
const LONGEST_REMEMBERED = 64;
/** V8 keeps the whole source text alive for longer slices. */
const LONGEST_CUT = 12;

/** A word of a text and its stem. */
export interface Word {
  readonly word: string;
  readonly stem: string;
  /** True if the word only wraps what a query asks for. */
  readonly isWrapping: boolean;
  /** True if a run of letters with this text is just this word. */
  readonly isPlain: boolean;
  /** The row of its meaning, once looked up: the same words occur again and again. */
  meaning: number | undefined;
  /** The number it last had in an index of terms; another word may have that number now. */
  lastTerm: number;
}

/** Settings for reading texts into words. */
interface WordReaderOptions extends SplitOptions, StemOptions {
  readonly stopWords: ReadonlySet<string>;
}

/** Reads texts into stems and caches each word, because few words make up most of any text. */
export class WordReader {
  readonly #options: WordReaderOptions;
  readonly #words = new Map<string, Word>();
  /** The words of each run of letters that is not a plain word. */
  readonly #runs = new Map<string, readonly Word[]>();

  constructor(options: WordReaderOptions) {
    this.#options = options;
  }

  /** Returns the words of a text that are not stop words. */
  read(text: string): Word[] {
    const words: Word[] = [];
    eachRun(text, (run) => {
      const word = this.#words.get(run);
      if (word?.isPlain === true) words.push(word);
      else for (const part of this.#runs.get(run) ?? this.#readRun(run)) words.push(part);
    });
    return words;
  }

  /** Returns the words of a query that say what it asks for. */
  readQuery(text: string): Word[] {
    return this.read(text).filter(({ isWrapping }) => !isWrapping);
  }

  /** Returns a lower-case word with its stem. */
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

/** Copies a slice so that it does not keep its source text in memory. */
function cutFree(part: string): string {
  return part.length > LONGEST_CUT ? Array.from(part).join('') : part;
}
