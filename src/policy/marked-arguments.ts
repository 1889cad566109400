import { isPlainObject } from '../core/json.ts';

/** What schemas call a path; the longer ones are pydantic's. */
const FORMATS: ReadonlySet<unknown> = new Set(['path', 'file-path', 'directory-path']);
/** Schemas that hold for the same value. */
const SAME = ['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'items', 'prefixItems', 'contains', 'unevaluatedItems'];
/** Schemas of values under keys that are not known. */
const ANY_KEY = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/** A schema of a server may be made to take for ever; beyond this every argument counts as a path. */
const MAX_PARTS = 20_000;

/**
 * The arguments that a schema marks with `format: path`, as names that `findValues` understands.
 *
 * Where a schema contains itself, paths are looked for at any depth.
 */
export function schemaPaths(schema: unknown): string[] {
  const names = new Set<string>();
  let parts = 0;
  const visit = (part: unknown, steps: readonly string[], open: readonly unknown[]): void => {
    if (++parts > MAX_PARTS) return;
    if (Array.isArray(part)) {
      for (const item of part) visit(item, steps, open);
      return;
    }
    if (!isPlainObject(part)) return;
    if (FORMATS.has(part['format'])) names.add(steps.join('.'));
    const target = follow(schema, part['$ref']);
    if (target !== undefined) {
      if (!open.includes(target)) visit(target, steps, [...open, target]);
      // Once more behind "any depth" finds what the schema marks inside itself.
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

/** The part of the same schema that a `$ref` names. */
function follow(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let part = root;
  for (const step of decode(reference.slice(1)).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!(isPlainObject(part) || Array.isArray(part)) || !Object.hasOwn(part, key)) return undefined;
    part = Reflect.get(part, key);
  }
  return part;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
