import { isPlainObject, type JsonSchema } from '../../tool/json.ts';

/** Finds the schema a reference stands for; `undefined` where it leads back into what is being merged. */
export type FindDefinition = (reference: string) => JsonSchema | undefined;

/** Keywords of which one is enough: they describe, they do not judge. */
const REMARKS = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'example',
  'examples',
  'title',
  'nullable',
  'readOnly',
  'writeOnly',
]);

/** Puts the parts of `allOf` into one schema. Parts that contradict each other, or are circular, stay in `allOf`. */
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

/** One schema that asks for what both ask for; `undefined` where that takes more than putting keywords together. */
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

/** A closed part may be joined by one that adds no properties: the closed one stays as closed as it was. */
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
