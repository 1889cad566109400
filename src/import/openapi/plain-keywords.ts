import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { isOfType } from '../../tool/schema/compile/expected-type.ts';

/** Returns the schema of a reference; `undefined` if it leads back into the schema being merged. */
type FindDefinition = (reference: string) => JsonSchema | undefined;

/** Keywords of which the first wins: they describe and do not restrict. */
const REMARKS = new Set(
  '$comment default deprecated description example examples title nullable readOnly writeOnly'.split(' '),
);

/** Merges the parts of `allOf` into one schema. Contradicting or circular parts stay in `allOf`. */
export function mergeAllOf(schema: JsonSchema, find: FindDefinition): JsonSchema {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  let merged: JsonSchema = rest;
  const kept: unknown[] = [];
  for (const part of allOf) {
    const target = isPlainObject(part) && typeof part['$ref'] === 'string' ? find(part['$ref']) : part;
    const next = isPlainObject(target) ? mergeTwo(merged, target) : undefined;
    if (next === undefined) kept.push(part);
    else merged = next;
  }
  return kept.length === 0 ? merged : { ...merged, allOf: kept };
}

/** Returns one schema with the requirements of both; `undefined` if joining keywords is not enough. */
function mergeTwo(a: JsonSchema, b: JsonSchema): JsonSchema | undefined {
  const merged = new Map(Object.entries(a));
  for (const [keyword, value] of Object.entries(b)) {
    const present = merged.get(keyword);
    if (present === undefined) merged.set(keyword, value);
    else if (keyword === 'required') merged.set(keyword, unite(present, value));
    else if (keyword === 'properties') merged.set(keyword, mergeProperties(present, value));
    else if (keyword === 'type' && isNarrower(value, present)) merged.set(keyword, value);
    else if (!REMARKS.has(keyword) && !isSame(present, value) && !(keyword === 'type' && isNarrower(present, value))) {
      return undefined;
    }
  }
  return isClosed(a) !== isClosed(b) && !isClosable(a, b) ? undefined : Object.fromEntries(merged);
}

function mergeProperties(a: unknown, b: unknown): JsonSchema {
  const merged = new Map(Object.entries(isPlainObject(a) ? a : {}));
  for (const [name, schema] of Object.entries(isPlainObject(b) ? b : {})) {
    const present = merged.get(name);
    if (present === undefined || isSame(present, schema)) merged.set(name, schema);
    else {
      const both = isPlainObject(present) && isPlainObject(schema) ? mergeTwo(present, schema) : undefined;
      merged.set(name, both ?? { allOf: [present, schema] });
    }
  }
  return Object.fromEntries(merged);
}

function isClosed(schema: JsonSchema): boolean {
  return schema['additionalProperties'] === false;
}

/** A closed part may be merged with one that adds no properties, and stays closed. */
function isClosable(a: JsonSchema, b: JsonSchema): boolean {
  return (isClosed(a) ? b : a)['properties'] === undefined;
}

function isNarrower(type: unknown, than: unknown): boolean {
  return type === 'integer' && than === 'number';
}

function unite(a: unknown, b: unknown): unknown[] {
  return [...new Set([...(Array.isArray(a) ? a : []), ...(Array.isArray(b) ? b : [])])];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Keywords of OpenAPI that do not restrict values, or refer to parts of the document. */
const DROPPED = new Set(['$anchor', '$id', '$schema', 'discriminator', 'example', 'externalDocs', 'nullable', 'xml']);
const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Converts keywords of OpenAPI 3.0 to JSON Schema 2020-12. Subschemas must already be converted. */
export function toModernKeywords(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => !DROPPED.has(keyword) && !keyword.startsWith('x-'));
  const modern: Record<string, unknown> = Object.fromEntries(entries);
  if (schema['example'] !== undefined && modern['examples'] === undefined) modern['examples'] = [schema['example']];
  // An empty enum would allow nothing; documents use it for unknown values.
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

/** Converts a default to the type beside it, as in `type: boolean, default: "true"`; drops it if that fails. */
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

/** Returns the schema without properties that only the server sets. */
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
