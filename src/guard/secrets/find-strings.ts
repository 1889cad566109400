/** A range in a text: from `start` to `end`, exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A string to find, and the condition on its surroundings. */
export interface SoughtString {
  readonly text: string;
  /** Returns the span to report for a string found at `start`, or `undefined` if it does not count. */
  accept?(text: string, start: number): TextSpan | undefined;
}

interface Beginning {
  readonly string: string;
  readonly length: number;
}

const TABLE_SIZE = 4096;

/**
 * Finds many strings in a text at once (Wu and Manber's method): the last two characters of a window determine how far it can move, so most
 * of a text is never examined. The time depends only on the length of the text.
 */
export class StringFinder {
  readonly longest: number;
  readonly shortest: number;
  readonly #window: number;
  /** The distance that the window can move, by the hash of its last two characters; 0 when a string may end there. */
  readonly #shifts = new Uint8Array(TABLE_SIZE);
  readonly #buckets = new Map<number, SoughtString[]>();
  readonly #strings: readonly SoughtString[];
  #byLastCharacter: ReadonlyMap<string, readonly Beginning[]> | undefined;

  /** Each string must have at least two characters. */
  constructor(strings: readonly SoughtString[]) {
    this.#strings = strings;
    this.shortest = Math.min(...strings.map(({ text }) => text.length));
    this.#window = Math.min(255, this.shortest);
    this.longest = Math.max(...strings.map(({ text }) => text.length));
    this.#shifts.fill(this.#window - 1);
    for (const string of strings) {
      for (let end = 1; end < this.#window; end++) {
        const hash = hashAt(string.text, end);
        const shift = this.#window - 1 - end;
        if (shift < (this.#shifts[hash] ?? 0)) this.#shifts[hash] = shift;
      }
      const last = hashAt(string.text, this.#window - 1);
      const bucket = this.#buckets.get(last);
      if (bucket === undefined) this.#buckets.set(last, [string]);
      else bucket.push(string);
    }
  }

  /** Finds the strings in a text, ordered by start; they may overlap. */
  find(text: string): TextSpan[] {
    const found: TextSpan[] = [];
    const shifts = this.#shifts;
    let end = this.#window - 1;
    while (end < text.length) {
      const hash = hashAt(text, end);
      const shift = shifts[hash] ?? 0;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - this.#window + 1;
      for (const string of this.#buckets.get(hash) ?? []) {
        if (!text.startsWith(string.text, start)) continue;
        const span =
          string.accept === undefined ? { start, end: start + string.text.length } : string.accept(text, start);
        if (span !== undefined) found.push(span);
      }
      end++;
    }
    return found;
  }

  /** Returns the position from which the end of a text may be the beginning of a string; the text's length if there is none. */
  openEnd(text: string, least = 1): number {
    let most = 0;
    for (const { string, length } of this.#beginnings().get(text.charAt(text.length - 1)) ?? []) {
      if (length <= most || length < least || length > text.length) continue;
      if (string.startsWith(text.slice(-length))) most = length;
    }
    return text.length - most;
  }

  /** Returns the position up to which the beginning of a text may be the end of a string; 0 if there is none. */
  openStart(text: string, least: number): number {
    let to = 0;
    for (const { text: string } of this.#strings) {
      for (let length = Math.min(string.length - 1, text.length); length >= least && length > to; length--) {
        if (text.startsWith(string.slice(-length))) to = length;
      }
    }
    return to;
  }

  /** The beginnings of all strings by their last character, so that few must be compared with the end of a text. */
  #beginnings(): ReadonlyMap<string, readonly Beginning[]> {
    if (this.#byLastCharacter !== undefined) return this.#byLastCharacter;
    const all = new Map<string, Beginning[]>();
    for (const { text: string } of this.#strings) {
      for (let length = 1; length < string.length; length++) {
        const last = string.charAt(length - 1);
        const known = all.get(last);
        if (known === undefined) all.set(last, [{ string, length }]);
        else known.push({ string, length });
      }
    }
    return (this.#byLastCharacter = all);
  }
}

function hashAt(text: string, end: number): number {
  return (text.charCodeAt(end) * 31 + text.charCodeAt(end - 1) * 7) & (TABLE_SIZE - 1);
}
