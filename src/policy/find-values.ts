import { isPlainObject } from '../core/json.ts';

/** A value inside the arguments, and where it is. */
export interface FoundValue {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * Finds what an argument's name stands for: `url`, or `filter.path` for a nested one.
 *
 * Lists are entered wherever they stand, and a key that has dots itself counts too, so that no value gets past a rule.
 */
export function findValues(args: unknown, name: string): FoundValue[] {
  return walk({ path: [], value: args }, name.split('.'));
}

function walk({ path, value }: FoundValue, steps: readonly string[]): FoundValue[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => walk({ path: [...path, index], value: item }, steps));
  }
  if (steps.length === 0) return value === undefined ? [] : [{ path, value }];
  if (!isPlainObject(value)) return [];
  return steps.flatMap((_, index) => {
    const key = steps.slice(0, index + 1).join('.');
    return Object.hasOwn(value, key) ? walk({ path: [...path, key], value: value[key] }, steps.slice(index + 1)) : [];
  });
}
