import type { IncomingHttpHeaders } from 'node:http';
import { isPlainObject } from '../../../tool/json.ts';
import type { Tool } from '../../../tool/tool.ts';
import { ERROR_CODES, type JsonRpcParams, RequestError } from '../../protocol/json-rpc.ts';
import { META } from '../../protocol/mcp-names.ts';

/** The parameter that `Mcp-Name` repeats, by method. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

interface CheckedRequest {
  readonly method: string;
  readonly params: JsonRpcParams | undefined;
}

/** Compares the headers of a stateless request with its body: a proxy that routes by headers must see what the server sees. */
export function checkHeaders(
  headers: IncomingHttpHeaders,
  { method, params }: CheckedRequest,
  findTool: (name: string) => Tool | undefined,
): void {
  const meta = params?.['_meta'];
  const version = isPlainObject(meta) ? meta[META.protocolVersion] : undefined;
  const given = single(headers, 'mcp-protocol-version');
  // A body without a version is refused later.
  if (given === undefined || (typeof version === 'string' && given !== version))
    throw mismatch('MCP-Protocol-Version', given, version);
  const givenMethod = single(headers, 'mcp-method');
  if (givenMethod !== method) throw mismatch('Mcp-Method', givenMethod, method);
  const field = NAMED[method];
  const value = field === undefined ? undefined : params?.[field];
  if (typeof value !== 'string') return;
  const name = single(headers, 'mcp-name');
  if (name === undefined || decode('Mcp-Name', name) !== value) throw mismatch('Mcp-Name', name, value);
  if (method === 'tools/call') checkParameters(headers, params?.['arguments'], findTool(value));
}

/** Parameters that a tool wants as headers. */
type HeaderParameters = readonly {
  readonly header: string;
  readonly path: readonly string[];
  readonly type: unknown;
}[];

const known = new WeakMap<Tool, HeaderParameters>();

function checkParameters(headers: IncomingHttpHeaders, args: unknown, tool: Tool | undefined): void {
  if (tool === undefined) return;
  let wanted = known.get(tool);
  if (wanted === undefined) known.set(tool, (wanted = findHeaders(tool.inputSchema, [])));
  for (const { header, path, type } of wanted) {
    const value = path.reduce<unknown>((at, key) => (isPlainObject(at) ? at[key] : undefined), args);
    const given = single(headers, `mcp-param-${header.toLowerCase()}`);
    if (value === undefined || value === null) {
      if (given !== undefined) throw mismatch(`Mcp-Param-${header}`, given, value);
      continue;
    }
    const text = given === undefined ? undefined : decode(`Mcp-Param-${header}`, given);
    const isSame =
      type === 'integer'
        ? text !== undefined && text !== '' && Number(text) === value
        : text === (typeof value === 'string' ? value : toText(value));
    if (!isSame) throw mismatch(`Mcp-Param-${header}`, given, value);
  }
}

function findHeaders(schema: unknown, path: readonly string[]): HeaderParameters {
  const properties = isPlainObject(schema) ? schema['properties'] : undefined;
  if (!isPlainObject(properties) || path.length > 20) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isPlainObject(property)) return [];
    const header = property['x-mcp-header'];
    const here = [...path, key];
    const own = typeof header === 'string' && header !== '' ? [{ header, path: here, type: property['type'] }] : [];
    return [...own, ...findHeaders(property, here)];
  });
}

const ENCODED = /^=\?base64\?(.*)\?=$/;

function decode(header: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  if (/[^\t\x20-\x7e]/.test(value)) throw mismatch(header, value, 'visible ASCII characters');
  const [, encoded] = ENCODED.exec(value) ?? [];
  if (encoded === undefined) return value;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) throw mismatch(header, value, 'Base64');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function single(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function mismatch(header: string, given: string | undefined, expected: unknown): RequestError {
  const found = given === undefined ? 'is missing' : `is ${JSON.stringify(given)}`;
  const message = `The header ${header} ${found}; the body says ${show(expected)}. They must be the same.`;
  return new RequestError(ERROR_CODES.headerMismatch, message);
}

/** Returns the JSON of a value; `undefined` if it is nested too deeply. */
function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Formats a value for a message; nested values may be too deep to write. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'object' && value !== null ? 'something nested' : JSON.stringify(value);
}
