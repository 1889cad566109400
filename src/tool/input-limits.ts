import { measureJson } from './json-text/json-meter.ts';

/** The limits of a caller's input, before any schema is asked. */
export interface InputLimits {
  /** Characters of texts and keys, in all. */
  readonly size: number;
  /** Keys of objects and items of lists, in all. */
  readonly values: number;
  /** Levels of nesting. */
  readonly depth: number;
}

/**
 * The limits of calls for which none are given, alike for every way in: what a call costs besides its tool grows with its values more than
 * with its bytes.
 */
export const DEFAULT_INPUT_LIMITS: InputLimits = { size: 4_194_304, values: 10_000, depth: 100 };

/** Says that arguments hold too many values. */
export function tooManyValues(most: number): string {
  return `hold more than ${most.toLocaleString('en-US')} values (keys and items). Send fewer, or a path or URL to them.`;
}

/** Parses arguments that came as a text of JSON. Throws for what is no JSON, or holds more than a call may. */
export function parseArguments(text: string, values: number = DEFAULT_INPUT_LIMITS.values): unknown {
  const { size } = DEFAULT_INPUT_LIMITS;
  // An empty list or object counts twice; those who count exactly have the words for the rest.
  if (text.length > ESCAPED * size)
    throw new RangeError(`they are larger than ${size} characters. Send less, or a path or URL to it.`);
  if (measureJson(text, { values: 2 * values }) !== undefined) throw new RangeError(`they ${tooManyValues(values)}`);
  return JSON.parse(text);
}

/** Characters of JSON for one of a text, at most. */
const ESCAPED = 6;
