import { isPlainObject, jsonKey, jsonEqual } from '../json.ts';
import { asNode, distinct, nodeList, nodeMap, type SchemaNode, stringList, typeList, without } from './schema-node.ts';

const LARGER: ReadonlySet<string> = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
]);
const SMALLER: ReadonlySet<string> = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
]);
const MAX_BRANCHES = 32;

/**
 * Merges schemas to one that accepts what all of them accept (`allOf`). Merges only this level: an argument that several describe gets its
 * own `allOf`. Calls `lost` for a keyword that cannot be merged, and keeps the first.
 */
export function mergeNodes(nodes: readonly SchemaNode[], lost: (keyword: string) => void = () => {}): SchemaNode {
  return nodes.reduce<SchemaNode>((left, right) => mergeTwo(constAsEnum(left), constAsEnum(right), lost), {});
}

/** Returns true for a schema that accepts nothing, the result of merging a contradiction. */
export function isImpossible(node: SchemaNode): boolean {
  const { not, ...rest } = node;
  return isPlainObject(not) && Object.keys(not).length === 0 && Object.keys(rest).length === 0;
}

export function constAsEnum(node: SchemaNode): SchemaNode {
  return 'const' in node ? { ...without(node, 'const'), enum: [node['const']] } : node;
}

function mergeTwo(left: SchemaNode, right: SchemaNode, lost: (keyword: string) => void): SchemaNode {
  const merged: SchemaNode = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    const mine = left[keyword];
    if (mine === undefined || jsonEqual(mine, value)) merged[keyword] = value;
    else {
      const both = mergeKeyword(keyword, mine, value);
      if (both === undefined) lost(keyword);
      else if (both === NEVER) return { not: {} };
      else merged[keyword] = both;
    }
  }
  return merged;
}

const NEVER = Symbol('no value fits both');

function mergeKeyword(keyword: string, mine: unknown, other: unknown): unknown {
  if (typeof mine === 'number' && typeof other === 'number') {
    if (LARGER.has(keyword)) return Math.max(mine, other);
    if (SMALLER.has(keyword)) return Math.min(mine, other);
  }
  switch (keyword) {
    case 'type':
      return sharedTypes(typeList({ type: mine }), typeList({ type: other }));
    case 'enum':
      return sharedValues(mine, other);
    case 'required':
      return [...new Set([...stringList(mine), ...stringList(other)])];
    case 'properties':
    case 'patternProperties':
    case '$defs':
      return mergeMaps(nodeMap(mine), nodeMap(other));
    case 'items':
    case 'contains':
    case 'propertyNames':
      return bothOf(asNode(mine), asNode(other));
    case 'additionalProperties':
    case 'unevaluatedProperties':
      if (mine === false || other === false) return false;
      return isPlainObject(mine) && isPlainObject(other) ? bothOf(mine, other) : isPlainObject(mine) ? mine : other;
    case 'anyOf':
    case 'oneOf':
      return crossBranches(nodeList(mine), nodeList(other));
    case 'allOf':
      return [...nodeList(mine), ...nodeList(other)];
    case 'not':
      return { anyOf: [mine, other] };
    case 'uniqueItems':
      return true;
    case 'description':
    case 'title':
    case 'default':
    case 'examples':
    case '$id':
    case '$anchor':
      return mine;
    default:
      return undefined;
  }
}

function mergeMaps(mine: Record<string, SchemaNode>, other: Record<string, SchemaNode>): Record<string, SchemaNode> {
  const keys = [...new Set([...Object.keys(mine), ...Object.keys(other)])];
  return Object.fromEntries(
    keys.map((key) => {
      const left = Object.hasOwn(mine, key) ? mine[key] : undefined;
      const right = Object.hasOwn(other, key) ? other[key] : undefined;
      return [key, left && right ? bothOf(left, right) : (left ?? right ?? {})];
    }),
  );
}

function bothOf(left: SchemaNode, right: SchemaNode): SchemaNode {
  return jsonEqual(left, right) ? left : { allOf: [left, right] };
}

function crossBranches(mine: readonly SchemaNode[], other: readonly SchemaNode[]): SchemaNode[] | undefined {
  if (mine.length * other.length > MAX_BRANCHES) return undefined;
  return mine.flatMap((left) => other.map((right) => ({ allOf: [left, right] })));
}

function sharedTypes(mine: readonly string[], other: readonly string[]): unknown {
  const shared = mine.flatMap((type) => {
    if (other.includes(type)) return [type];
    if (type === 'number' && other.includes('integer')) return ['integer'];
    return type === 'integer' && other.includes('number') ? ['integer'] : [];
  });
  return shared.length === 0 ? NEVER : shared.length === 1 ? shared[0] : shared;
}

function sharedValues(mine: unknown, other: unknown): unknown {
  if (!Array.isArray(mine) || !Array.isArray(other)) return undefined;
  const others = new Set(other.map(jsonKey));
  const shared = mine.filter((value) => others.has(jsonKey(value)));
  return shared.length === 0 ? NEVER : shared;
}

const OWN: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties']);

/** Unites variants to one object schema with all parameters. A parameter is required only if every variant requires it. */
export function uniteVariants(variants: readonly SchemaNode[]): SchemaNode {
  const [first = {}, ...rest] = variants;
  if (rest.length === 0) return first;
  const properties = new Map<string, SchemaNode[]>();
  for (const variant of variants) {
    for (const [name, schema] of Object.entries(nodeMap(variant['properties']))) {
      properties.set(name, [...(properties.get(name) ?? []), schema]);
    }
  }
  const required = stringList(first['required']).filter((name) =>
    rest.every((variant) => stringList(variant['required']).includes(name)),
  );
  const shared = Object.entries(first).filter(
    ([keyword, value]) => !OWN.has(keyword) && rest.every((variant) => jsonEqual(variant[keyword], value)),
  );
  return {
    ...Object.fromEntries(shared),
    type: 'object',
    properties: Object.fromEntries([...properties].map(([name, list]) => [name, eitherOf(list)])),
    ...(required.length > 0 ? { required } : {}),
    ...(variants.every((variant) => variant['additionalProperties'] === false) ? { additionalProperties: false } : {}),
  };
}

function eitherOf(schemas: readonly SchemaNode[]): SchemaNode {
  const [first = {}, ...others] = distinct(schemas);
  if (others.length === 0) return first;
  const all = [first, ...others].map(constAsEnum);
  const listsOnly = all.every((schema) => Array.isArray(schema['enum']) && jsonEqual(schema['type'], all[0]?.['type']));
  if (!listsOnly) return { anyOf: [first, ...others] };
  return {
    ...all[0],
    enum: [...new Set(all.flatMap((schema) => (Array.isArray(schema['enum']) ? schema['enum'] : [])))],
  };
}
