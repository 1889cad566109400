import { isPlainObject, type JsonSchema } from '../../json.ts';
import type { RefTarget } from '../schema-document.ts';
import { KEYWORDS } from '../schema-keywords.ts';

/**
 * Finds a schema with a `$ref` that leads back to itself without ever going into the value: its check would not end.
 *
 * `targets` has every schema with a `$ref`. Each schema is looked at once.
 */
export function findRefLoop(targets: ReadonlyMap<JsonSchema, RefTarget>): JsonSchema | undefined {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  for (const start of targets.keys()) {
    // Schemas on the way, each with those it applies in place that are still to be looked at.
    const way: { readonly schema: JsonSchema; readonly left: unknown[] }[] = [];
    let next: unknown = start;
    for (;;) {
      if (open.has(next)) return way.findLast(({ schema }) => targets.has(schema))?.schema;
      if (isPlainObject(next) && !done.has(next)) {
        open.add(next);
        way.push({ schema: next, left: appliedInPlace(next, targets) });
      }
      let last = way.at(-1);
      while (last !== undefined && last.left.length === 0) {
        open.delete(last.schema);
        done.add(last.schema);
        way.pop();
        last = way.at(-1);
      }
      if (last === undefined) break;
      next = last.left.pop();
    }
  }
  return undefined;
}

/** The schemas that apply to the same value as this one does. */
function appliedInPlace(schema: JsonSchema, targets: ReadonlyMap<JsonSchema, RefTarget>): unknown[] {
  const found: unknown[] = [];
  for (const name of Object.keys(schema)) {
    const keyword = KEYWORDS.get(name);
    const value = schema[name];
    if (name === '$ref') found.push(targets.get(schema)?.schema);
    else if (keyword?.inPlace !== true) continue;
    else if (keyword.holds === 'schema') found.push(value);
    else if (Array.isArray(value)) found.push(...value);
    else if (isPlainObject(value)) found.push(...Object.values(value));
  }
  return found;
}
