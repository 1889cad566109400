import { isPlainObject } from '../json.ts';

/** A value inside the arguments, with its path. */
export interface FoundValue {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * Finds the values of an argument: `url`, or `filter.path` for a nested one. `*` matches any key, `**` any depth.
 *
 * Enters lists everywhere and matches keys that contain dots, so that no value escapes a rule.
 */
export function findValues(args: unknown, name: string): FoundValue[] {
  return walk({ path: [], value: args }, name.split('.'));
}

function walk({ path, value }: FoundValue, steps: readonly string[]): FoundValue[] {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => walk({ path: [...path, index], value: item }, steps));
  const [first, ...rest] = steps;
  if (first === undefined) return value === undefined ? [] : [{ path, value }];
  const here = first === '**' ? walk({ path, value }, rest) : [];
  if (!isPlainObject(value)) return here;
  const enter = (key: string, left: readonly string[]): FoundValue[] =>
    walk({ path: [...path, key], value: value[key] }, left);
  if (first === '**') return [...here, ...Object.keys(value).flatMap((key) => enter(key, steps))];
  if (first === '*') return Object.keys(value).flatMap((key) => enter(key, rest));
  return steps.flatMap((_, index) => {
    const key = steps.slice(0, index + 1).join('.');
    return Object.hasOwn(value, key) ? enter(key, steps.slice(index + 1)) : [];
  });
}
