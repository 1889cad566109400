import { isPlainObject, type JsonSchema } from '../json.ts';
import { createReferenceFinder, referenceOf } from './schema-node.ts';

interface FoundValue {
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

/** Formats that mean a path; the longer ones are pydantic's. */
const FORMATS: ReadonlySet<unknown> = new Set(['path', 'file-path', 'directory-path']);
/** Keywords whose schemas apply to the same value. */
const SAME = ['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'items', 'prefixItems', 'contains', 'unevaluatedItems'];
/** Keywords whose schemas apply to values of unknown keys. */
const ANY_KEY = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/** Limit for malicious schemas; beyond it, every argument counts as marked. */
const MAX_PARTS = 20_000;

/** Lists the arguments that a schema marks with `format: path`, as names for `findValues`. */
export function schemaPaths(schema: JsonSchema): string[] {
  return markedArguments(schema, ({ format }) => FORMATS.has(format));
}

/**
 * Lists the arguments whose schema passes a test, as names for `findValues`; `''` for all arguments together.
 *
 * If a schema contains itself, the names match at any depth.
 */
export function markedArguments(schema: JsonSchema, isMarked: (part: JsonSchema) => boolean): string[] {
  const find = createReferenceFinder(schema);
  const names = new Set<string>();
  let parts = 0;
  const visit = (part: unknown, steps: readonly string[], open: readonly unknown[]): void => {
    if (++parts > MAX_PARTS) return;
    if (Array.isArray(part)) {
      for (const item of part) visit(item, steps, open);
      return;
    }
    if (!isPlainObject(part)) return;
    if (isMarked(part)) names.add(steps.join('.'));
    const reference = referenceOf(part);
    const target = reference === undefined ? undefined : find(reference);
    if (target !== undefined) {
      if (!open.includes(target)) visit(target, steps, [...open, target]);
      // One more visit below "any depth" finds marks inside itself.
      else if (!steps.includes('**')) visit(target, [...steps, '**'], [target]);
    }
    for (const key of SAME) visit(part[key], steps, open);
    for (const key of ANY_KEY) {
      const below = part[key];
      visit(key === 'patternProperties' && isPlainObject(below) ? Object.values(below) : below, [...steps, '*'], open);
    }
    for (const holder of [part['properties'], part['dependentSchemas']]) {
      if (!isPlainObject(holder)) continue;
      const isProperties = holder === part['properties'];
      for (const [key, below] of Object.entries(holder)) visit(below, isProperties ? [...steps, key] : steps, open);
    }
  };
  visit(schema, [], [schema]);
  return parts > MAX_PARTS ? ['**'] : [...names];
}

/** Forms of values that may be something other than a local path. */
export const PATH_FORMS = [
  'url',
  'address',
  'host',
  'container',
  'volume',
  'mount',
  'package',
  'at',
  'field',
  'file-url',
] as const;

/** The form of an argument's value, used to find local paths in it. */
export interface PathForm {
  readonly form: (typeof PATH_FORMS)[number];
  /** URL schemes that the command accepts, without `://`. Default: http and https for `url` and `address`, none for others. */
  readonly schemes?: readonly string[] | undefined;
}
