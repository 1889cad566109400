import { isPlainObject } from '../../core/json.ts';
import { asNode, mapSubschemas, type SchemaNode } from './schema-node.ts';
import { Unportable } from './unportable.ts';

/** Looks up what a `$ref` points to; throws `Unportable` when that is not inside the schema. */
export type ResolveRef = (reference: string, path: string) => SchemaNode;

/** A resolver for the `$ref`s of one schema, after `modernSchema`. */
export function createRefResolver(root: SchemaNode): ResolveRef {
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
  return (reference, path) => {
    const target = anchors.get(reference) ?? (reference.startsWith('#') ? followPointer(root, reference) : undefined);
    if (target !== undefined) return asNode(target);
    const fix = reference.startsWith('#')
      ? 'Add it under $defs.'
      : 'Copy that schema under $defs: references are never fetched.';
    throw new Unportable(path, '$ref', `"${reference}" is not in the schema. ${fix}`);
  };
}

/** The reference a schema object makes, whichever keyword it uses. */
export function referenceOf(node: SchemaNode): string | undefined {
  const reference = node['$ref'] ?? node['$dynamicRef'] ?? node['$recursiveRef'];
  return typeof reference === 'string' ? reference : undefined;
}

function followPointer(root: SchemaNode, reference: string): unknown {
  let place: unknown = root;
  for (const part of reference
    .slice(1)
    .split('/')
    .filter((_, index) => index > 0 || reference.length > 1)) {
    if (part === '' && place === root) continue;
    const key = decodePart(part);
    const container: unknown = place;
    if (Array.isArray(container)) place = container[Number(key)];
    else if (!isPlainObject(container)) return undefined;
    else place = own(container, key) ?? (key === 'definitions' ? own(container, '$defs') : undefined);
  }
  return isPlainObject(place) || typeof place === 'boolean' ? place : undefined;
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
