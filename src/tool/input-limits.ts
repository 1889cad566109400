import { measureJson } from './json-text/json-meter.ts';

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
  return `hold more than ${most.toLocaleString('en-US')} values (keys and items). Send fewer, or a path or URL to them.`;
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
