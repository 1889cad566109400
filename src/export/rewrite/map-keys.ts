import { isPlainObject } from '../../tool/json.ts';
import { asNode, nodeList, nodeMap, ownNode, type SchemaNode } from '../../tool/parameters/schema-node.ts';

const MAX_DEPTH = 256;

/** Maps the keys of a value to those of the exported schema, or back. */
export interface KeyMapping {
  declared(key: string): string;
  written(key: string): string;
}

/** Renames the keys of a value that the exported schema declares; keys of free maps stay. */
export function mapKeys(input: unknown, root: SchemaNode, mapping: KeyMapping): unknown {
  const rename = (value: unknown, schemas: readonly SchemaNode[], depth: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    const all = expand(schemas, root);
    if (Array.isArray(value)) {
      return value.map((item, index) => {
        const inner = all.map((schema) => nodeList(schema['prefixItems'])[index] ?? asNode(schema['items']));
        return rename(item, inner, depth + 1);
      });
    }
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const declared = declarations(all, mapping.declared(key));
        if (declared.length > 0) return [mapping.written(key), rename(inner, declared, depth + 1)];
        return [key, rename(inner, freeSchemas(all), depth + 1)];
      }),
    );
  };
  return rename(input, [root], 0);
}

function declarations(schemas: readonly SchemaNode[], key: string): SchemaNode[] {
  return schemas.map((schema) => ownNode(schema['properties'], key)).filter((schema) => schema !== undefined);
}

function freeSchemas(schemas: readonly SchemaNode[]): SchemaNode[] {
  return schemas.flatMap((schema) =>
    Object.values(nodeMap(schema['patternProperties'])).concat(asNode(schema['additionalProperties'])),
  );
}

/** Returns the schemas together with everything they are composed of. */
function expand(schemas: readonly SchemaNode[], root: SchemaNode): SchemaNode[] {
  const all = new Set<SchemaNode>();
  const queue = [...schemas];
  for (let schema = queue.shift(); schema !== undefined; schema = queue.shift()) {
    if (all.has(schema)) continue;
    all.add(schema);
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) queue.push(...nodeList(schema[keyword]));
    for (const keyword of ['then', 'else']) if (isPlainObject(schema[keyword])) queue.push(schema[keyword]);
    queue.push(...Object.values(nodeMap(schema['dependentSchemas'])));
    const reference = schema['$ref'];
    if (reference === '#') queue.push(root);
    else if (typeof reference === 'string') {
      queue.push(ownNode(root['$defs'], reference.slice('#/$defs/'.length)) ?? {});
    }
  }
  return [...all];
}
