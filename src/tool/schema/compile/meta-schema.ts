import type { JsonSchema } from '../../json.ts';
import type { SchemaDialect } from '../schema-dialect.ts';
import { TYPE_NAMES } from './compile-type.ts';

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
