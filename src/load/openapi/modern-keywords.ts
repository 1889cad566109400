import { isPlainObject, type JsonSchema } from '../../tool/json.ts';

/** Keywords of OpenAPI that say nothing about which values are valid, or name things of the document. */
const DROPPED = new Set(['$anchor', '$id', '$schema', 'discriminator', 'example', 'externalDocs', 'nullable', 'xml']);
const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Says in JSON Schema 2020-12 what OpenAPI 3.0 says in its own words. Subschemas must be done already. */
export function toModernKeywords(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => !DROPPED.has(keyword) && !keyword.startsWith('x-'));
  const modern: Record<string, unknown> = Object.fromEntries(entries);
  if (schema['example'] !== undefined && modern['examples'] === undefined) modern['examples'] = [schema['example']];
  // Nothing would be valid; documents that say so mean that they do not know.
  if (Array.isArray(modern['enum']) && modern['enum'].length === 0) delete modern['enum'];
  for (const [inclusive, exclusive] of BOUNDS) {
    const flag = modern[exclusive];
    if (typeof flag !== 'boolean') continue;
    delete modern[exclusive];
    if (!flag || modern[inclusive] === undefined) continue;
    modern[exclusive] = modern[inclusive];
    delete modern[inclusive];
  }
  const sendable = withoutReadOnly(modern);
  return schema['nullable'] === true ? withNull(sendable) : sendable;
}

/** The schema without properties that only the server sets. */
function withoutReadOnly(schema: JsonSchema): JsonSchema {
  const { properties, required } = schema;
  if (!isPlainObject(properties)) return schema;
  const isReadOnly = (name: unknown): boolean => {
    const property = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isPlainObject(property) && property['readOnly'] === true;
  };
  if (!Object.keys(properties).some(isReadOnly)) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isReadOnly(name))),
    ...(Array.isArray(required) ? { required: required.filter((name) => !isReadOnly(name)) } : {}),
  };
}

function withNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, description, ...rest } = schema;
  if (type === undefined) {
    const hasRules = Object.keys(rest).length > 0 || values !== undefined;
    if (!hasRules) return schema;
    const { description: _, ...rules } = schema;
    return { anyOf: [rules, { type: 'null' }], ...(description === undefined ? {} : { description }) };
  }
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return {
    ...schema,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}
