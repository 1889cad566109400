import { isPlainObject, type JsonSchema } from '../json.ts';

export const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** The supported versions of JSON Schema. */
export type SchemaDialect = '2020-12' | '2019-09' | 'draft-07';

/** Reads `$schema`. The default, also for unknown ones, is 2020-12; drafts 3 to 6 count as draft-07. */
export function dialectOf(schema: JsonSchema): SchemaDialect {
  const declared = schema['$schema'];
  if (typeof declared !== 'string') return '2020-12';
  if (declared.includes('json-schema.org/draft/2019-09/')) return '2019-09';
  return /json-schema\.org\/(draft-0[3-7]\/)?(hyper-)?schema/.test(declared) ? 'draft-07' : '2020-12';
}

/** The target of a reference to the meta-schema: the whole of it, or one of its parts as a schema. */
type MetaSchema = { readonly type: 'whole' } | { readonly type: 'part'; readonly schema: JsonSchema };

const URIS: Readonly<Record<SchemaDialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
};

const SIZE = { type: 'integer', minimum: 0 };

/** The parts of the draft-07 meta-schema that other schemas refer to. */
const PARTS: Readonly<Record<string, JsonSchema>> = {
  nonNegativeInteger: SIZE,
  nonNegativeIntegerDefault0: SIZE,
  simpleTypes: { enum: TYPE_NAMES },
  stringArray: { type: 'array', items: { type: 'string' }, uniqueItems: true },
  schemaArray: { type: 'array', items: { $ref: URIS['draft-07'] }, minItems: 1 },
};

/** Finds the target of a reference to the meta-schema of a dialect, which is known without fetching it. */
export function findMetaSchema(ref: string, dialect: SchemaDialect): MetaSchema | undefined {
  const [address, fragment = ''] = ref.split('#', 2);
  if (address !== URIS[dialect]) return undefined;
  if (fragment === '') return { type: 'whole' };
  const name = fragment.replace(/^\/definitions\//, '');
  const schema = dialect === 'draft-07' && Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  return schema === undefined ? undefined : { type: 'part', schema };
}

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
