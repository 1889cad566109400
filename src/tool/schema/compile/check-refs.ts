import { isPlainObject, type JsonSchema } from '../../json.ts';
import { type RefTarget, resolveUri, type SchemaResource } from '../schema-document.ts';
import { KEYWORDS } from '../schema-keywords.ts';
import { describeValue } from '../../texts/describe-value.ts';
import { nearestNames } from '../../texts/suggest.ts';

/**
 * Finds a schema with a `$ref` that leads back to itself without descending into the value: its check would not end.
 *
 * `targets` contains every schema with a `$ref`. Visits each schema once.
 */
export function findRefLoop(targets: ReadonlyMap<JsonSchema, RefTarget>): JsonSchema | undefined {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  for (const start of targets.keys()) {
    // The current path of schemas, each with the in-place schemas still to visit.
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

/** Lists the schemas that apply to the same value as this one. */
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

/** Explains why a reference cannot be resolved and what to write instead. */
export function explainMissingRef(ref: string, resource: SchemaResource): string {
  const [address = ''] = ref.split('#');
  if (address !== '' && resolveUri(address, resource.uri) !== resource.uri) {
    return (
      `must point into this schema; got ${describeValue(ref)}. Remote schemas are never fetched: ` +
      'copy the schema under "$defs" and use "#/$defs/<name>"'
    );
  }
  const known = ['$defs', 'definitions'].flatMap((place) => {
    const schemas = resource.root[place];
    return isPlainObject(schemas) ? Object.keys(schemas).map((name) => `#/${place}/${name}`) : [];
  });
  known.push(...[...resource.anchors.keys(), ...resource.dynamicAnchors.keys()].map((name) => `#${name}`));
  const [nearest] = nearestNames(ref, known, 1);
  return `points to nothing in this schema; got ${describeValue(ref)}${nearest === undefined ? '' : `. Did you mean ${describeValue(nearest)}?`}`;
}
