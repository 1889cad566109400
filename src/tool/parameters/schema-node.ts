import { isPlainObject, jsonKey, type JsonSchema } from '../json.ts';

/** A schema object in a private copy that may be changed. */
export type SchemaNode = Record<string, unknown>;

const SINGLE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
const SINGLE_RARE = ['unevaluatedItems', 'unevaluatedProperties', 'additionalItems', 'contentSchema'] as const;
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'] as const;
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'] as const;

/** Changes one subschema in `keyword`, under `key` if that is a map. */
type ChangeSubschema = (schema: unknown, keyword: string, key?: string) => unknown;

/** Copies a schema object, passing every direct subschema through `change`. */
export function mapSubschemas(node: SchemaNode, change: ChangeSubschema): SchemaNode {
  return mapValues(node, (value, keyword) => {
    if (includes(LISTS, keyword) && Array.isArray(value)) return value.map((item) => change(item, keyword));
    if (includes(MAPS, keyword) && isPlainObject(value))
      return mapValues(value, (one, key) => change(one, keyword, key));
    return includes(SINGLE, keyword) || includes(SINGLE_RARE, keyword) ? change(value, keyword) : value;
  });
}

/** Copies an object with every value changed. Safe for keys such as `__proto__`. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** Converts a boolean schema to an object: `true` accepts anything, `false` nothing. */
export function asNode(schema: unknown): SchemaNode {
  if (isPlainObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}

/** Returns the subschemas of a list keyword such as `anyOf`. */
export function nodeList(value: unknown): SchemaNode[] {
  return Array.isArray(value) ? value.map(asNode) : [];
}

/** Returns the subschemas of a map keyword such as `properties`. */
export function nodeMap(value: unknown): Record<string, SchemaNode> {
  return isPlainObject(value) ? mapValues(value, asNode) : {};
}

/** Returns the subschema under a key of a map keyword such as `properties`. */
export function ownNode(map: unknown, key: string): SchemaNode | undefined {
  return isPlainObject(map) && Object.hasOwn(map, key) ? asNode(map[key]) : undefined;
}

/** Returns the strings of a keyword such as `required`. */
export function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns the `type` keyword as a list, or an empty list. */
export function typeList(node: SchemaNode): string[] {
  return typeof node['type'] === 'string' ? [node['type']] : stringList(node['type']);
}

/** Counts the properties and listed values of a schema object, which determine the cost of merging it. */
export function keyCount(node: SchemaNode): number {
  const properties = isPlainObject(node['properties']) ? Object.keys(node['properties']).length : 0;
  return 1 + properties + (Array.isArray(node['enum']) ? node['enum'].length : 0);
}

export function without(node: SchemaNode, ...keywords: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)));
}

/** Removes duplicates, compared like `jsonEqual`. */
export function distinct<T>(values: readonly T[], select: (value: T) => unknown = (value) => value): T[] {
  const seen = new Map<string, T>();
  for (const value of values) {
    const key = jsonKey(select(value));
    if (!seen.has(key)) seen.set(key, value);
  }
  return [...seen.values()];
}

function includes(list: readonly string[], keyword: string): boolean {
  return list.includes(keyword);
}

/** Resolves a reference inside a schema; `undefined` when it leads nowhere or out of the schema. */
export type FindReference = (reference: string) => SchemaNode | undefined;

/** Creates a resolver for the references (`#/$defs/Node`, `#node`) of one schema. */
export function createReferenceFinder(root: JsonSchema): FindReference {
  let anchors: ReadonlyMap<string, SchemaNode> | undefined;
  return (reference) => {
    const isPointer = reference === '#' || reference.startsWith('#/');
    // Few schemas have anchors, so they are collected on demand.
    const named = isPointer ? undefined : (anchors ??= readAnchors(root)).get(reference);
    return named ?? (reference.startsWith('#') ? followPointer(root, reference) : undefined);
  };
}

export function referenceOf(node: JsonSchema): string | undefined {
  const reference = node['$ref'] ?? node['$dynamicRef'] ?? node['$recursiveRef'];
  return typeof reference === 'string' ? reference : undefined;
}

function readAnchors(root: JsonSchema): Map<string, SchemaNode> {
  const anchors = new Map<string, SchemaNode>();
  const collect = (schema: unknown): unknown => {
    if (!isPlainObject(schema)) return schema;
    for (const keyword of ['$anchor', '$dynamicAnchor', '$id', 'id']) {
      const anchor = schema[keyword];
      if (typeof anchor === 'string') anchors.set(keyword.endsWith('id') ? anchor : `#${anchor}`, schema);
    }
    mapSubschemas(schema, collect);
    return schema;
  };
  collect(root);
  return anchors;
}

function followPointer(root: JsonSchema, reference: string): SchemaNode | undefined {
  let place: unknown = root;
  for (const part of reference.slice(1).split('/')) {
    if (part === '' && place === root) continue;
    const key = decodePart(part);
    const container: unknown = place;
    if (Array.isArray(container)) place = container[Number(key)];
    else if (!isPlainObject(container)) return undefined;
    else place = own(container, key) ?? (key === 'definitions' ? own(container, '$defs') : undefined);
  }
  return isPlainObject(place) || typeof place === 'boolean' ? asNode(place) : undefined;
}

function own(container: SchemaNode, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function decodePart(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
