/** The limits of the structure of a JSON text. */
export interface JsonBounds {
  /** Keys of objects and items of lists, in all. */
  readonly values: number;
  /** Levels of nesting. Default: any. */
  readonly depth?: number;
}

/** The bound that a text breaks. */
export type JsonExcess = 'values' | 'depth';

/**
 * Counts the values of a JSON text before it is parsed, piece by piece: parsing millions of small values keeps a process busy for
 * seconds, and takes far more memory than the text.
 *
 * Bytes may be given as Latin-1: all that counts is ASCII.
 */
export class JsonMeter {
  readonly #most: number;
  #left: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #excess: JsonExcess | undefined;

  constructor({ values, depth = Infinity }: JsonBounds) {
    this.#most = depth;
    this.#left = values;
  }

  /** The values that may still come. An empty list or object counts twice: its first value is counted with its bracket. */
  get left(): number {
    return this.#left;
  }

  /** Takes the next piece; gives the bound that is broken by now. */
  push(text: string): JsonExcess | undefined {
    if (this.#excess !== undefined) return this.#excess;
    let index = this.#isInString ? this.#endOfString(text, 0) : 0;
    let left = this.#left;
    let depth = this.#depth;
    for (; index < text.length; index++) {
      switch (text.charCodeAt(index)) {
        case 0x22: // "
          index = this.#endOfString(text, index + 1) - 1;
          break;
        case 0x5b: // [
        case 0x7b: // {
          if (++depth > this.#most) return (this.#excess = 'depth');
          if (--left < 0) return (this.#excess = 'values');
          break;
        case 0x5d: // ]
        case 0x7d: // }
          depth--;
          break;
        case 0x2c: // ,
          if (--left < 0) return (this.#excess = 'values');
          break;
      }
    }
    this.#left = left;
    this.#depth = depth;
    return undefined;
  }

  /** The place after the closing quote, or the end of the piece. */
  #endOfString(text: string, start: number): number {
    let from = start;
    if (this.#isEscaped) {
      from++;
      this.#isEscaped = false;
    }
    this.#isInString = true;
    for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
      let backslashes = 0;
      while (at - 1 - backslashes >= from && text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
      if (backslashes % 2 === 1) continue;
      this.#isInString = false;
      return at + 1;
    }
    let trailing = 0;
    while (text.length - 1 - trailing >= from && text.charCodeAt(text.length - 1 - trailing) === 0x5c) trailing++;
    this.#isEscaped = trailing % 2 === 1;
    return text.length;
  }
}

/** The bound that a whole JSON text breaks; short texts are not looked at. */
export function measureJson(text: string, bounds: JsonBounds): JsonExcess | undefined {
  // Each value takes two characters, and each level too.
  return text.length <= 2 * Math.min(bounds.values, bounds.depth ?? Infinity)
    ? undefined
    : new JsonMeter(bounds).push(text);
}
