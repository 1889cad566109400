import { isPlainObject } from '../json.ts';

/** One schema object in a private copy that rules may take apart. */
export type SchemaNode = Record<string, unknown>;

const SINGLE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
const SINGLE_RARE = ['unevaluatedItems', 'unevaluatedProperties', 'additionalItems', 'contentSchema'] as const;
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'] as const;
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'] as const;

/** Changes one subschema: `keyword` holds it, under `key` where that is a map. */
type ChangeSubschema = (schema: unknown, keyword: string, key?: string) => unknown;

/** A copy of a schema object in which every direct subschema went through `change`. */
export function mapSubschemas(node: SchemaNode, change: ChangeSubschema): SchemaNode {
  return mapValues(node, (value, keyword) => {
    if (includes(LISTS, keyword) && Array.isArray(value)) return value.map((item) => change(item, keyword));
    if (includes(MAPS, keyword) && isPlainObject(value))
      return mapValues(value, (one, key) => change(one, keyword, key));
    return includes(SINGLE, keyword) || includes(SINGLE_RARE, keyword) ? change(value, keyword) : value;
  });
}

/** A copy of an object with every value changed; safe for keys such as `__proto__`. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** The schema object of a subschema: `true` accepts anything, `false` nothing. */
export function asNode(schema: unknown): SchemaNode {
  if (isPlainObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}

/** The subschemas of a list keyword such as `anyOf`. */
export function nodeList(value: unknown): SchemaNode[] {
  return Array.isArray(value) ? value.map(asNode) : [];
}

/** The subschemas of a map keyword such as `properties`. */
export function nodeMap(value: unknown): Record<string, SchemaNode> {
  return isPlainObject(value) ? mapValues(value, asNode) : {};
}

/** The subschema a map keyword such as `properties` has under a key of its own. */
export function ownNode(map: unknown, key: string): SchemaNode | undefined {
  return isPlainObject(map) && Object.hasOwn(map, key) ? asNode(map[key]) : undefined;
}

/** The strings of a keyword such as `required`. */
export function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The `type` keyword as a list; empty when the schema names none. */
export function typeList(node: SchemaNode): string[] {
  return typeof node['type'] === 'string' ? [node['type']] : stringList(node['type']);
}

/** How many properties and listed values a schema object has: what merging it costs. */
export function keyCount(node: SchemaNode): number {
  const properties = isPlainObject(node['properties']) ? Object.keys(node['properties']).length : 0;
  return 1 + properties + (Array.isArray(node['enum']) ? node['enum'].length : 0);
}

/** A copy without some keywords. */
export function without(node: SchemaNode, ...keywords: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)));
}

/** Whether two JSON values are the same; the order of keys does not count. */
export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || jsonKey(left) === jsonKey(right);
}

/** The values without the ones that came before; compares as `sameJson`. */
export function distinct<T>(values: readonly T[], select: (value: T) => unknown = (value) => value): T[] {
  const seen = new Map<string, T>();
  for (const value of values) {
    const key = jsonKey(select(value));
    if (!seen.has(key)) seen.set(key, value);
  }
  return [...seen.values()];
}

/** A text that is the same for equal JSON values; the order of keys does not count. */
export function jsonKey(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? 'undefined';
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

function includes(list: readonly string[], keyword: string): boolean {
  return list.includes(keyword);
}
