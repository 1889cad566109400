import { isObject, type JsonObject } from './transport.ts';

/** An argument that is also sent as a header (`x-mcp-header` of revision 2026-07-28). */
export interface ParameterHeader {
  /** Such as `Mcp-Param-Region`. */
  readonly header: string;
  readonly path: readonly string[];
}

/** The headers that a tool's schema requests, or its fault. */
export type ParameterHeaders =
  | { readonly ok: true; readonly headers: readonly ParameterHeader[] }
  | { readonly ok: false; readonly fault: string };

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const MAX_NODES = 100_000;

/** Finds the arguments that a schema wants as headers. */
export function findParameterHeaders(schema: JsonObject): ParameterHeaders {
  const headers: ParameterHeader[] = [];
  const seen = new Set<string>();
  let nodes = 0;
  let fault: string | undefined;

  const visit = (node: unknown, path: readonly string[] | undefined): void => {
    if (fault !== undefined || typeof node !== 'object' || node === null || ++nodes > MAX_NODES) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item, undefined);
      return;
    }
    const entries = Object.entries(node);
    if (KEY in node) {
      fault = check(node, path, seen);
      if (fault === undefined && path !== undefined) headers.push({ header: `Mcp-Param-${String(node[KEY])}`, path });
    }
    for (const [key, value] of entries) {
      // Only a chain of `properties` leads to an argument; data that looks like a schema is skipped.
      if (key === 'properties' && isObject(value)) {
        for (const [name, property] of Object.entries(value)) visit(property, path && [...path, name]);
      } else if (key !== 'enum' && key !== 'const' && key !== 'default' && key !== 'examples') visit(value, undefined);
    }
  };
  visit(schema, []);
  return fault === undefined ? { ok: true, headers } : { ok: false, fault };
}

function check(node: JsonObject, path: readonly string[] | undefined, seen: Set<string>): string | undefined {
  const name = node[KEY];
  const where = path === undefined || path.length === 0 ? 'a place that is no argument' : `"${path.join('.')}"`;
  if (path === undefined || path.length === 0) return `${KEY} stands at ${where}`;
  if (typeof name !== 'string' || !TOKEN.test(name))
    return `${KEY} of ${where} is ${JSON.stringify(name)}, which is no header name`;
  if (!TYPES.has(node['type']))
    return `${KEY} stands at ${where}, whose type is ${JSON.stringify(node['type'])}; use string, integer or boolean`;
  if (seen.has(name.toLowerCase())) return `${KEY} ${JSON.stringify(name)} stands at two arguments`;
  seen.add(name.toLowerCase());
  return undefined;
}

/** Returns the headers of one call: each annotated argument that has a value. */
export function parameterHeaders(wanted: readonly ParameterHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of wanted) {
    let value: unknown = args;
    for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
      headers[header] = encodeHeaderValue(String(value));
  }
  return headers;
}

/** Encodes a header value, in the protocol's Base64 form if needed. */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
