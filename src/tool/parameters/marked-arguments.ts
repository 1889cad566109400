import { isPlainObject, type JsonSchema } from '../json.ts';
import { createReferenceFinder, referenceOf } from './resolve-reference.ts';

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
