import { isOfType } from '../../tool/schema/compile/expected-type.ts';
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
  if (modern['default'] !== undefined) setDefault(modern);
  const sendable = withoutReadOnly(modern);
  return schema['nullable'] === true ? withNull(sendable) : sendable;
}

/** Makes a default fit the type beside it, as in `type: boolean, default: "true"`; one that cannot fit is left out. */
function setDefault(schema: Record<string, unknown>): void {
  const { default: given, type, enum: values } = schema;
  const parsed = typeof given === 'string' ? parseScalar(given) : undefined;
  const candidates = [given, parsed, typeof given === 'object' ? undefined : JSON.stringify(given)];
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const fitting = candidates.find(
    (value) =>
      value !== undefined &&
      (type === undefined || types.some((name) => typeof name === 'string' && isOfType(value, name))) &&
      (!Array.isArray(values) || values.includes(value) || typeof value === 'object'),
  );
  if (fitting === undefined && given !== null) delete schema['default'];
  else if (fitting !== undefined) schema['default'] = fitting;
}

function parseScalar(text: string): unknown {
  return /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : undefined;
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
