import { isPlainObject } from '../../tool/json.ts';
import { asNode, mapSubschemas, type SchemaNode, stringList, without } from '../../tool/parameters/schema-node.ts';

const KEEP_BOOLEAN: ReadonlySet<string> = new Set([
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

/** Converts older drafts and OpenAPI keywords to draft 2020-12, and `true`/`false` schemas to objects. */
export function modernSchema(schema: SchemaNode): SchemaNode {
  const node = mapSubschemas(schema, (inner, keyword) => {
    if (typeof inner === 'boolean' && KEEP_BOOLEAN.has(keyword)) return inner;
    return Array.isArray(inner) ? inner : modernSchema(asNode(inner));
  });
  let modern = without(node, '$schema', '$comment', 'definitions', 'additionalItems', 'dependencies', 'nullable');
  if (isPlainObject(node['definitions'])) modern['$defs'] = { ...node['definitions'], ...asNode(node['$defs']) };
  if (Array.isArray(node['items'])) modern = withTuple(modern, node);
  if (node['nullable'] === true) modern = withNullable(modern);
  for (const bound of ['Minimum', 'Maximum']) modern = withNumericBound(modern, bound);
  return isPlainObject(node['dependencies']) ? withDependencies(modern, node['dependencies']) : modern;
}

function withTuple(modern: SchemaNode, node: SchemaNode): SchemaNode {
  const rest = node['additionalItems'];
  return {
    ...without(modern, 'items'),
    prefixItems: node['items'],
    ...(rest === undefined ? {} : { items: asNode(rest) }),
  };
}

function withNullable(modern: SchemaNode): SchemaNode {
  const nullable = { ...modern };
  if (typeof modern['type'] === 'string') nullable['type'] = [modern['type'], 'null'];
  else if (Array.isArray(modern['type'])) nullable['type'] = [...new Set([...stringList(modern['type']), 'null'])];
  else if (modern['type'] === undefined && Object.keys(modern).some((keyword) => keyword !== 'description')) {
    return { anyOf: [without(modern, 'description'), { type: 'null' }], ...pick(modern, 'description') };
  }
  if (Array.isArray(modern['enum']) && !modern['enum'].includes(null)) nullable['enum'] = [...modern['enum'], null];
  return nullable;
}

/** Draft 4 wrote `minimum: 3, exclusiveMinimum: true` for the later `exclusiveMinimum: 3`. */
function withNumericBound(modern: SchemaNode, bound: string): SchemaNode {
  const exclusive = `exclusive${bound}`;
  const inclusive = bound.toLowerCase();
  if (typeof modern[exclusive] !== 'boolean') return modern;
  const plain = without(modern, exclusive);
  if (!modern[exclusive] || modern[inclusive] === undefined) return plain;
  return { ...without(plain, inclusive), [exclusive]: modern[inclusive] };
}

function withDependencies(modern: SchemaNode, dependencies: SchemaNode): SchemaNode {
  const all = Object.entries(dependencies);
  const lists = Object.fromEntries(all.filter(([, value]) => Array.isArray(value)));
  const schemas = Object.fromEntries(all.filter(([, value]) => !Array.isArray(value)));
  return {
    ...modern,
    ...(Object.keys(lists).length > 0 ? { dependentRequired: lists } : {}),
    ...(Object.keys(schemas).length > 0 ? { dependentSchemas: schemas } : {}),
  };
}

function pick(node: SchemaNode, keyword: string): SchemaNode {
  return node[keyword] === undefined ? {} : { [keyword]: node[keyword] };
}
