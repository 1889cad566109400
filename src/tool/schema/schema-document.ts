import { isPlainObject, type JsonSchema } from '../json.ts';

/** A part of a document with its own URI: the whole, or a schema inside it with an `$id`. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: JsonSchema;
  readonly anchors: Map<string, JsonSchema>;
  readonly dynamicAnchors: Map<string, JsonSchema>;
}

/** A schema document with all possible targets of its references. */
export interface SchemaDocument {
  readonly main: SchemaResource;
  readonly byUri: Map<string, SchemaResource>;
  /** The resources inside the main one, by their schema. */
  readonly byRoot: Map<unknown, SchemaResource>;
}

/** The target of a reference. */
export interface RefTarget {
  readonly schema: unknown;
  readonly resource: SchemaResource;
  /** Set when the reference names a `$dynamicAnchor`. */
  readonly dynamicAnchor?: string;
}

const BASE = 'schema:/';

/** The anchor of a resource with `$recursiveAnchor` (2019-09). No `$dynamicAnchor` can have this name. */
export const RECURSIVE_ANCHOR = '$recursiveAnchor';

/** Starts the index of a document with one resource and no anchors. */
export function createDocument(root: JsonSchema): SchemaDocument {
  const id = root['$id'];
  const main = createResource(typeof id === 'string' ? (resolveUri(id, BASE) ?? BASE) : BASE, root);
  return { main, byUri: new Map([[main.uri, main]]), byRoot: new Map([[root, main]]) };
}

/** Adds a schema inside the document that has its own `$id`. Returns `undefined` for an invalid `$id`. */
export function addResource(
  document: SchemaDocument,
  parent: SchemaResource,
  schema: JsonSchema,
): SchemaResource | undefined {
  const uri = resolveUri(String(schema['$id']), parent.uri);
  if (uri === undefined) return undefined;
  const resource = createResource(uri, schema);
  if (!document.byUri.has(uri)) document.byUri.set(uri, resource);
  document.byRoot.set(schema, resource);
  return resource;
}

function createResource(uri: string, root: JsonSchema): SchemaResource {
  return { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
}

/** Resolves `reference` against `base`, without its fragment. */
export function resolveUri(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  url.hash = '';
  return url.href;
}

/** Finds the target of a reference inside its document; `undefined` when there is none. */
export function resolveRef(document: SchemaDocument, from: SchemaResource, ref: string): RefTarget | undefined {
  const hash = ref.indexOf('#');
  const address = hash === -1 ? ref : ref.slice(0, hash);
  let resource: SchemaResource | undefined = from;
  if (address !== '') {
    const uri = resolveUri(address, from.uri);
    resource = uri === undefined ? undefined : document.byUri.get(uri);
  }
  if (resource === undefined) return undefined;
  const fragment = decode(hash === -1 ? '' : ref.slice(hash + 1));
  if (fragment === undefined) return undefined;
  if (fragment === '') return { schema: resource.root, resource };
  if (fragment.startsWith('/')) return followPointer(document, resource, fragment);
  const dynamic = resource.dynamicAnchors.get(fragment);
  if (dynamic !== undefined) return { schema: dynamic, resource, dynamicAnchor: fragment };
  const schema = resource.anchors.get(fragment);
  return schema === undefined ? undefined : { schema, resource };
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function followPointer(document: SchemaDocument, from: SchemaResource, pointer: string): RefTarget | undefined {
  let schema: unknown = from.root;
  let resource = from;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(schema)) schema = /^\d+$/.test(key) ? schema[Number(key)] : undefined;
    else schema = isPlainObject(schema) && Object.hasOwn(schema, key) ? schema[key] : undefined;
    resource = document.byRoot.get(schema) ?? resource;
  }
  return typeof schema === 'boolean' || isPlainObject(schema) ? { schema, resource } : undefined;
}
