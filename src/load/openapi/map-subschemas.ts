import { isPlainObject, type JsonSchema } from '../../tool/json.ts';

const IN_MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const IN_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const ALONE = new Set([
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** A copy of a schema in which every schema directly inside it went through `change`. */
export function mapSubschemas(schema: JsonSchema, change: (part: unknown) => unknown): JsonSchema {
  return mapEntries(schema, (value, keyword) => {
    if (ALONE.has(keyword)) return change(value);
    if (IN_LISTS.has(keyword)) return Array.isArray(value) ? value.map(change) : undefined;
    if (IN_MAPS.has(keyword)) return isPlainObject(value) ? mapEntries(value, change) : undefined;
    return value;
  });
}

/** A copy of an object with changed values; those that become `undefined` are left out. */
function mapEntries(node: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema {
  const entries = Object.entries(node).map(([key, value]) => [key, change(value, key)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
