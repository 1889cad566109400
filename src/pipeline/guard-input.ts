import { formatPath } from '../tool/texts/explain-issues.ts';
import { typeOf } from '../tool/texts/describe-value.ts';
import { type InputLimits, tooManyValues } from '../tool/input-limits.ts';
import type { ToolIssue } from '../tool/tool-error.ts';

/** Below any sensible limit on the size of arguments. */
const FLAT_LIMIT = 1000;

const isForbidden = (key: string): boolean => key === '__proto__' || key === 'constructor' || key === 'prototype';

/** Refuses what no tool should see: not an object, too large, too deep, keys that could touch a prototype, or numbers that JSON cannot hold. */
export function guardInput(input: unknown, limits: InputLimits): ToolIssue | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { path: [], message: notAnObject(input) };
  return isFlatAndSmall(input) ? undefined : new Walk(limits).check(input, [], 1);
}

/** Most arguments are a few scalars: told without allocating anything. */
function isFlatAndSmall(input: object): boolean {
  let size = 0;
  // An inherited key only sends the input the long way.
  for (const key in input) {
    // Any key of an object may be read.
    const value = (input as Record<string, unknown>)[key];
    size += key.length + (typeof value === 'string' ? value.length : 1);
    if ((typeof value === 'object' && value !== null) || isForbidden(key) || size > FLAT_LIMIT) return false;
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
  }
  return true;
}

class Walk {
  readonly #limits: InputLimits;
  #left: number;
  #values: number;

  constructor(limits: InputLimits) {
    this.#limits = limits;
    this.#left = limits.size;
    this.#values = limits.values;
  }

  check(value: object, path: (string | number)[], depth: number): ToolIssue | undefined {
    if (depth > this.#limits.depth) {
      return {
        path: path.slice(0, 3),
        message: `is nested more than ${this.#limits.depth} levels deep. Send a flatter value.`,
      };
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const issue = this.#weigh(value[index], index, path, depth);
        if (issue !== undefined) return issue;
      }
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (isForbidden(key)) return { path: [...path, key], message: 'is a key that no tool accepts. Leave it out.' };
      this.#left -= key.length;
      // Own keys only: `Object.keys` gave it.
      const issue = this.#weigh((value as Record<string, unknown>)[key], key, path, depth);
      if (issue !== undefined) return issue;
    }
    return undefined;
  }

  // oxlint-disable-next-line max-params -- private, and an options object for each value would cost more than the check
  #weigh(value: unknown, step: string | number, path: (string | number)[], depth: number): ToolIssue | undefined {
    if (--this.#values < 0) return { path: [], message: tooManyValues(this.#limits.values) };
    this.#left -= typeof value === 'string' ? value.length : 1;
    if (this.#left < 0) {
      return {
        path: [],
        message: `are larger than ${this.#limits.size} characters, at ${formatPath([...path, step])}. Send less, or a path or URL to it.`,
      };
    }
    // `1e400` is read as Infinity and written as null: a rule, a digest or a record would take it for another value.
    if (typeof value === 'number' && !Number.isFinite(value))
      return { path: [...path, step], message: 'must be a finite number: JSON holds no other. Send a smaller one.' };
    if (typeof value !== 'object' || value === null) return undefined;
    path.push(step);
    const issue = this.check(value, path, depth + 1);
    path.pop();
    return issue;
  }
}

function notAnObject(input: unknown): string {
  if (typeof input === 'string' && /^\s*\{/.test(input))
    return 'must be an object, got a string of JSON. Send the object itself.';
  return `must be an object such as {"name": "value"}, got ${typeOf(input)}.`;
}
