/** Limits for a caller's input, checked before its schema. */
export interface InputLimits {
  /** Total characters of texts and keys. */
  readonly size: number;
  /** Total number of object keys and list items. */
  readonly values: number;
  /** Levels of nesting. */
  readonly depth: number;
}

/** The default limits of calls, for every entry point. The cost of a call beyond its tool depends more on its values than on its bytes. */
export const DEFAULT_INPUT_LIMITS: InputLimits = { size: 4_194_304, values: 10_000, depth: 100 };

/** Builds the message for arguments with too many values. */
export function tooManyValues(most: number): string {
  return `contain more than ${most.toLocaleString('en-US')} values (keys and items). Send fewer, or a path or URL to them.`;
}

/** Parses arguments from JSON text. Throws for invalid JSON and for arguments over the limits. */
export function parseArguments(text: string, values: number = DEFAULT_INPUT_LIMITS.values): unknown {
  const { size } = DEFAULT_INPUT_LIMITS;
  // An empty list or object counts twice here; the exact check comes later.
  if (text.length > ESCAPED * size)
    throw new RangeError(`they are larger than ${size} characters. Send less, or a path or URL to it.`);
  if (measureJson(text, { values: 2 * values }) !== undefined) throw new RangeError(`they ${tooManyValues(values)}`);
  return JSON.parse(text);
}

/** Maximum characters of JSON per character of text. */
const ESCAPED = 6;

/** Limits for the structure of a JSON text. */
interface JsonBounds {
  /** Total number of object keys and list items. */
  readonly values: number;
  /** Levels of nesting. Default: unlimited. */
  readonly depth?: number;
}

/** The limit that a text exceeds. */
export type JsonExcess = 'values' | 'depth';

/**
 * Counts the values of a JSON text in pieces before it is parsed: parsing millions of small values takes seconds and far more memory than
 * the text.
 *
 * Bytes may be passed as Latin-1, because only ASCII characters count.
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

  /** The number of values still allowed. An empty list or object counts twice: its first value is counted with its bracket. */
  get left(): number {
    return this.#left;
  }

  /** Takes the next piece. Returns the limit exceeded so far, if any. */
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

  /** Returns the position after the closing quote, or the end of the piece. */
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

/** Returns the limit that a JSON text exceeds, if any. Short texts are not scanned. */
export function measureJson(text: string, bounds: JsonBounds): JsonExcess | undefined {
  // Each value takes at least two characters, as does each level.
  return text.length <= 2 * Math.min(bounds.values, bounds.depth ?? Infinity)
    ? undefined
    : new JsonMeter(bounds).push(text);
}
