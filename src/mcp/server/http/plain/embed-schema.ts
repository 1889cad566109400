import { isPlainObject, type JsonSchema } from '../../../../tool/json.ts';

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);
/** Keywords that hold schemas under names of the author's own. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * A schema as a part of a larger document, where it stands at `place`: references to its own parts lead there. One with an `$id` is a
 * document of its own, and stays as it is.
 */
export function embedSchema(schema: JsonSchema, place: string): JsonSchema {
  const { $schema: _, ...rest } = schema;
  // An object stays one.
  return embed(rest, place, false) as JsonSchema;
}

function embed(node: unknown, place: string, isMap: boolean): unknown {
  if (Array.isArray(node)) return node.map((item: unknown) => embed(item, place, false));
  if (!isPlainObject(node)) return node;
  if (!isMap && typeof node['$id'] === 'string') return node;
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (isMap) return [key, embed(value, place, false)];
    if (key === '$ref' && typeof value === 'string')
      return [key, /^#(?:\/|$)/.test(value) ? place + value.slice(1) : value];
    return [key, DATA.has(key) ? value : embed(value, place, MAPS.has(key))];
  });
  return Object.fromEntries(entries);
}
