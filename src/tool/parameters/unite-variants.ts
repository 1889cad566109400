import { constAsEnum } from './merge-nodes.ts';
import { distinct, nodeMap, sameJson, type SchemaNode, stringList } from './schema-node.ts';

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
    ([keyword, value]) => !OWN.has(keyword) && rest.every((variant) => sameJson(variant[keyword], value)),
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
  const listsOnly = all.every((schema) => Array.isArray(schema['enum']) && sameJson(schema['type'], all[0]?.['type']));
  if (!listsOnly) return { anyOf: [first, ...others] };
  return {
    ...all[0],
    enum: [...new Set(all.flatMap((schema) => (Array.isArray(schema['enum']) ? schema['enum'] : [])))],
  };
}
