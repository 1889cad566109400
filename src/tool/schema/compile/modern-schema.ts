import { isPlainObject, type JsonSchema } from '../../json.ts';
import type { SchemaDialect } from '../schema-dialect.ts';

/** Keywords of 2020-12 that older drafts ignore. */
const UNKNOWN: Readonly<Record<Exclude<SchemaDialect, '2020-12'>, ReadonlySet<string>>> = {
  '2019-09': new Set(['prefixItems', '$dynamicRef']),
  'draft-07': new Set([
    'prefixItems',
    '$dynamicRef',
    '$recursiveRef',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
    'unevaluatedItems',
    'minContains',
    'maxContains',
  ]),
};

/**
 * Returns one schema with the keywords of 2020-12 that mean the same as those of its draft. Subschemas stay as they are.
 *
 * - In draft-07 the keywords beside a `$ref` are ignored.
 * - A list under `items` is called `prefixItems`, and `additionalItems` beside it `items`.
 * - `dependencies`, also of 2020-12 schemas, become `dependentRequired` and `dependentSchemas`.
 */
export function toModernSchema(schema: JsonSchema, dialect: SchemaDialect): JsonSchema {
  if (dialect === '2020-12') return schema['dependencies'] === undefined ? schema : splitDependencies(schema);
  if (dialect === 'draft-07' && typeof schema['$ref'] === 'string') return { $ref: schema['$ref'] };
  const known = Object.fromEntries(Object.entries(schema).filter(([name]) => !UNKNOWN[dialect].has(name)));
  const { items, additionalItems, ...rest } = known;
  const modern = Array.isArray(items)
    ? { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
    : known;
  return schema['dependencies'] === undefined ? modern : splitDependencies(modern);
}

function splitDependencies({ dependencies, ...schema }: JsonSchema): JsonSchema {
  if (!isPlainObject(dependencies)) return schema;
  const entries = Object.entries(dependencies);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  return {
    ...schema,
    dependentRequired: { ...Object(schema['dependentRequired']), ...Object.fromEntries(lists) },
    dependentSchemas: { ...Object(schema['dependentSchemas']), ...Object.fromEntries(schemas) },
  };
}
