import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { createFreeNames } from '../../tool/texts/suggest.ts';
import { countParts, createLoopBreaker } from './break-loops.ts';
import type { ReferenceReader } from './reference-reader.ts';
import { isOfType } from '../../tool/schema/compile/expected-type.ts';

/** Converts the schemas of one OpenAPI document to JSON Schema 2020-12. */
export interface SchemaConverter {
  /** Converts a schema; its references point into `$defs`. */
  convert(schema: unknown): JsonSchema;
  /** Returns a converted schema, or the definition it refers to. */
  resolve(schema: JsonSchema): JsonSchema;
  /** Returns all definitions that a converted schema needs, by name. */
  definitions(schema: JsonSchema): Record<string, JsonSchema>;
}

/** Keys that may accompany a reference and do not restrict values. */
const REMARKS = new Set(['summary', 'title', 'example', 'examples', 'deprecated', 'externalDocs', 'xml', '$comment']);
/** Nesting of schemas: a board reads files of 60 levels, and a property takes two. */
const MAX_DEPTH = 24;
/** The longest chain of definitions that lead to each other. */
const MAX_CHAIN = 100;
const PREFIX = '#/$defs/';
/** The most parts of a definition that is copied into another, and of all such copies: each may double its source. */
const MAX_COPY = 5000;
const MAX_COPIES = 2_000_000;

/**
 * Creates the converter of a document.
 *
 * References stay references, so cycles stay cycles: each schema is converted once, on first use.
 */
export function createSchemaConverter(reader: ReferenceReader): SchemaConverter {
  const names = new Map<string, string>();
  const references = new Map<string, string>();
  const converted = new Map<string, JsonSchema | 'pending'>();
  const sizes = new Map<string, number>();
  let copied = 0;
  /** The number of nested definitions being converted. */
  let pending = 0;
  const freeName = createFreeNames((candidate) => references.has(candidate));

  const nameOf = (reference: string): string => {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const wanted = (reference.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]+/g, '_') || 'schema';
    const name = references.has(wanted) ? freeName(wanted) : wanted;
    names.set(reference, name);
    references.set(name, reference);
    return name;
  };

  /** Returns the definition of a name; `undefined` while it is being converted, which reveals a cycle. */
  const definition = (name: string): JsonSchema | undefined => {
    const known = converted.get(name);
    if (known !== undefined) return known === 'pending' ? undefined : known;
    // A chain of ten thousand would overflow the stack. A remaining reference is converted on its own, later.
    if (pending >= MAX_CHAIN) return undefined;
    converted.set(name, 'pending');
    pending++;
    const schema = convert(reader.find(references.get(name) ?? ''), 0);
    pending--;
    converted.set(name, schema);
    return schema;
  };

  /** Returns a definition to copy; `undefined` if it is too large, so that it stays a reference. */
  const copy = (name: string): JsonSchema | undefined => {
    const schema = definition(name);
    if (schema === undefined) return undefined;
    const size = sizes.get(name) ?? countParts(schema, MAX_COPY);
    sizes.set(name, size);
    copied += size;
    return size > MAX_COPY || copied > MAX_COPIES ? undefined : schema;
  };

  const convertReference = (reference: string, node: JsonSchema, depth: number): JsonSchema => {
    const { $ref: _, description, ...rest } = node;
    const remark = typeof description === 'string' ? { description } : {};
    // OpenAPI 3.0 ignores keywords beside a reference, but authors mean them, as 3.1 does.
    const isMore = Object.keys(rest).some((keyword) => !REMARKS.has(keyword) && !keyword.startsWith('x-'));
    if (reader.find(reference) === undefined) return isMore ? convert({ ...rest, ...remark }, depth) : remark;
    if (isMore) return convert({ ...rest, ...remark, allOf: [{ $ref: reference }, ...listOf(rest['allOf'])] }, depth);
    return { $ref: `${PREFIX}${nameOf(reference)}`, ...remark };
  };

  const convert = (schema: unknown, depth: number): JsonSchema => {
    if (schema === false) return { not: {} };
    if (!isPlainObject(schema)) return {};
    if (depth > MAX_DEPTH) {
      reader.note(`A schema is nested deeper than ${MAX_DEPTH} levels; deeper parts accept any value.`);
      return {};
    }
    if (typeof schema['$ref'] === 'string') return convertReference(schema['$ref'], schema, depth + 1);
    const inner = mapSubschemas(schema, (part) => (typeof part === 'boolean' ? part : convert(part, depth + 1)));
    return toModernKeywords(mergeAllOf(inner, (reference) => copy(reference.slice(PREFIX.length))));
  };

  const withoutLoops = createLoopBreaker({
    find: (reference) => {
      const name = reference.slice(PREFIX.length);
      const schema = references.has(name) ? definition(name) : undefined;
      return schema === undefined ? undefined : { name, schema };
    },
    note: reader.note,
  });

  const resolve = (schema: JsonSchema): JsonSchema => {
    let target = schema;
    for (let hop = 0; hop < MAX_CHAIN && typeof target['$ref'] === 'string'; hop++)
      target = withoutLoops(target['$ref']);
    return target;
  };

  const definitions = (schema: JsonSchema): Record<string, JsonSchema> => {
    const found = new Map<string, JsonSchema>();
    const open: unknown[] = [schema];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (Array.isArray(part)) open.push(...part.filter((item) => item !== undefined));
      if (!isPlainObject(part)) continue;
      const { $ref } = part;
      const name = typeof $ref === 'string' && $ref.startsWith(PREFIX) ? $ref.slice(PREFIX.length) : undefined;
      if (name !== undefined && !found.has(name) && references.has(name)) {
        found.set(name, withoutLoops(`${PREFIX}${name}`));
        open.push(found.get(name));
      }
      open.push(...Object.values(part).filter((item) => typeof item === 'object' && item !== null));
    }
    return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };

  return { convert: (schema) => convert(schema, 0), resolve, definitions };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const IN_MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const IN_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const ALONE = new Set(
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);

/** Returns a copy of a schema with `change` applied to every direct subschema. */
function mapSubschemas(schema: JsonSchema, change: (part: unknown) => unknown): JsonSchema {
  return mapEntries(schema, (value, keyword) => {
    if (ALONE.has(keyword)) return change(value);
    if (IN_LISTS.has(keyword)) return Array.isArray(value) ? value.map(change) : undefined;
    if (IN_MAPS.has(keyword)) return isPlainObject(value) ? mapEntries(value, change) : undefined;
    return value;
  });
}

/** Returns a copy of an object with changed values, without those that become `undefined`. */
function mapEntries(node: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema {
  const entries = Object.entries(node).map(([key, value]) => [key, change(value, key)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns the schema of a reference; `undefined` if it leads back into the schema being merged. */
type FindDefinition = (reference: string) => JsonSchema | undefined;

/** Keywords of which the first wins: they describe and do not restrict. */
const DESCRIBING = new Set(
  '$comment default deprecated description example examples title nullable readOnly writeOnly'.split(' '),
);

/** Merges the parts of `allOf` into one schema. Contradicting or circular parts stay in `allOf`. */
function mergeAllOf(schema: JsonSchema, find: FindDefinition): JsonSchema {
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
    else if (
      !DESCRIBING.has(keyword) &&
      !isSame(present, value) &&
      !(keyword === 'type' && isNarrower(present, value))
    ) {
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
function toModernKeywords(schema: JsonSchema): JsonSchema {
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
