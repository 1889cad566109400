import { isPlainObject, type JsonSchema } from '../json.ts';
import { asNode, mapSubschemas, type SchemaNode } from './schema-node.ts';

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

/** Returns the reference of a schema object, by any keyword. */
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
