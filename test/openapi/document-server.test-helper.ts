import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { onTestFinished } from 'vitest';
import { BETWEEN, type Node, nodeOf, type Parameter, readRoutes, type Route } from './document-routes.test-helper.ts';

/** Sent by every client, or described elsewhere in a document. */
const USUAL = new Set(['accept', 'authorization', 'content-type', 'cookie']);

/**
 * Starts a server that judges each request by an OpenAPI document alone: 204 for one that it allows, 422 with the reasons
 * for any other. Nothing of the importer is used here.
 */
export async function startDocumentServer(document: Node): Promise<{ readonly url: string }> {
  const judge = createJudge(document);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const faults = attempt(() => judge(request, Buffer.concat(chunks).toString('utf8')));
      response.writeHead(faults.length === 0 ? 204 : 422);
      response.end(faults.length === 0 ? undefined : faults.join('\n'));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // A TCP server has an address and a port.
  return { url: `http://127.0.0.1:${port}` };
}

function attempt(judge: () => string[]): string[] {
  try {
    return judge();
  } catch (error) {
    return [`could not be judged: ${String(error)}`];
  }
}

function createJudge(document: Node): (request: IncomingMessage, body: string) => string[] {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    unicodeRegExp: false,
    logger: false,
  });
  ajv.addSchema(nodeOf(toModern(document)), 'document');
  const inline = new Map<Node, ReturnType<typeof ajv.compile>>();
  const check = (at: string | Node | undefined, value: unknown): string[] => {
    if (at === undefined) return [];
    const validate =
      typeof at === 'string'
        ? (ajv.getSchema(`document#${at}`) ?? ajv.compile({ $ref: `document#${at}` }))
        : (inline.get(at) ?? ajv.compile(nodeOf(toModern(at))));
    if (typeof at !== 'string') inline.set(at, validate);
    if (validate(value) === true) return [];
    const where = typeof at === 'string' ? at : 'form';
    return [`${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)?.slice(0, 300)}`];
  };
  const routes = readRoutes(document);
  const judgeRoute = (route: Route, values: readonly string[], { request, url, body }: Received): string[] => {
    const inPath = new Map(route.names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]));
    const inQuery = [...url.searchParams];
    const faults: string[] = [];
    for (const parameter of route.parameters) {
      const value = readValue(parameter, { inPath, inQuery, search: url.search, headers: request.headers });
      if (value !== undefined) {
        const all = candidates(value).map((candidate) => check(parameter.pointer, candidate));
        if (all.every((list) => list.length > 0))
          faults.push(`${parameter.place} ${parameter.name}: ${all[0]?.join()}`);
      } else if (parameter.required && !USUAL.has(parameter.name.toLowerCase()))
        faults.push(`${parameter.place} ${parameter.name} is missing`);
    }
    for (const [name] of inQuery)
      if (!route.parameters.some((parameter) => takesName(parameter, name))) faults.push(`unknown query ${name}`);
    return [...faults, ...judgeBody(route, { type: request.headers['content-type'], body, check })];
  };
  return (request, body) => {
    const url = new URL(request.url ?? '/', 'http://server');
    const all = (routes.get(request.method ?? '') ?? [])
      .flatMap((route) => {
        const found = route.pattern.exec(url.pathname);
        return found === null ? [] : [{ route, values: found.slice(1) }];
      })
      .toSorted((a, b) => b.route.weight - a.route.weight)
      .map(({ route, values }) => judgeRoute(route, values, { request, url, body }));
    // Some documents have several operations for one address.
    return all.find((faults) => faults.length === 0) ?? all[0] ?? [`no operation ${request.method} ${url.pathname}`];
  };
}

interface Received {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly body: string;
}

function readValue(
  parameter: Parameter,
  sent: {
    readonly inPath: ReadonlyMap<string, string>;
    readonly inQuery: [string, string][];
    readonly search: string;
    readonly headers: IncomingMessage['headers'];
  },
): unknown {
  switch (parameter.place) {
    case 'query':
      return readQuery(parameter, sent.inQuery, sent.search);
    case 'path':
      return readSimple(parameter, sent.inPath.get(parameter.name));
    case 'header':
      return readSimple(parameter, [sent.headers[parameter.name.toLowerCase()]].flat()[0]);
    default:
      return readCookie(parameter, sent.headers.cookie);
  }
}

function judgeBody(
  { body: { required, types } }: Route,
  sent: {
    readonly type: string | undefined;
    readonly body: string;
    readonly check: (at: string | Node | undefined, value: unknown) => string[];
  },
): string[] {
  // A form without fields has no text.
  const isForm = sent.type?.includes('form') === true;
  if (sent.body === '' && !isForm)
    return [required ? 'the body is missing' : '', sent.type ? 'a type without a body' : ''].filter(Boolean);
  const type = sent.type?.split(';')[0] ?? '';
  const [, known] = [...types].find(([name]) => name.split(';')[0] === type || name === '*/*') ?? [];
  if (known === undefined) return [`type ${type} is none of ${[...types.keys()].join()}`];
  if (/[/+]json$/.test(type)) return sent.check(known.schema, JSON.parse(sent.body));
  if (type === 'multipart/form-data') return sent.check(known.schema, readParts(sent.body, sent.type ?? ''));
  if (type !== 'application/x-www-form-urlencoded') return [];
  const fields = Object.entries(readDeep([...new URLSearchParams(sent.body)])).map(([name, value]) => {
    const between = known.joined.get(name);
    return [name, between !== undefined && typeof value === 'string' ? value.split(between) : value] as const;
  });
  const all = candidates(Object.fromEntries(fields)).map((candidate) => sent.check(known.schema, candidate));
  return all.find((faults) => faults.length === 0) ?? all[0] ?? [];
}

/** The parts of a form with files: those with a type of JSON as values, all others as texts. */
function readParts(text: string, type: string): Node {
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1] ?? '';
  const parts = text.split(`--${boundary}`).slice(1, -1);
  const fields = parts.map((part): [string, unknown] => {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const value = rest.join('\r\n\r\n').replace(/\r\n$/, '');
    return [
      /name="([^"]*)"/.exec(head)?.[1] ?? '',
      /^content-type: application\/json/im.test(head) ? JSON.parse(value) : value,
    ];
  });
  return Object.fromEntries(fields);
}

/** Lists the values that a text may stand for, the likeliest first: only the schema tells JSON values apart. */
function candidates(value: unknown): unknown[] {
  return [
    mapTexts(value, toTyped),
    value,
    mapTexts(value, (text) => text),
    listed(mapTexts(value, toTyped)),
    listed(value),
  ];
}

function listed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [value];
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, typeof part === 'object' ? part : [part]]),
  );
}

function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, change)]));
}

function toTyped(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function readQuery(
  { name, style, explode, isJson, schema }: Parameter,
  pairs: [string, string][],
  search: string,
): unknown {
  const own = pairs.filter(([key]) => key === name).map(([, value]) => value);
  if (isJson) return own[0] === undefined ? undefined : JSON.parse(own[0]);
  if (style === 'deepObject') {
    const parts = pairs.filter(([key]) => key === name || key.startsWith(`${name}[`));
    return parts.length === 0 ? undefined : readDeep(parts)[name];
  }
  const isList = schema['type'] === 'array' || (Array.isArray(schema['type']) && schema['type'].includes('array'));
  if (schema['type'] === 'object' && style === 'form' && explode) {
    const { properties } = schema;
    const known = Object.keys(nodeOf(properties));
    const parts = pairs.filter(([key]) => known.includes(key));
    return parts.length === 0 ? undefined : readDeep(parts);
  }
  if (own.length === 0) return undefined;
  if (explode) return isList || own.length > 1 ? own : own[0];
  // Commas that separate are not encoded, those in items are.
  const raw =
    search
      .slice(1)
      .split('&')
      .map((pair) => pair.split('='))
      .find(([key]) => decodeURIComponent(key ?? '') === name)?.[1] ?? '';
  const items =
    style === 'form'
      ? raw.split(',').map((part) => decodeURIComponent(part))
      : (own[0] ?? '').split(BETWEEN[style] ?? ',');
  return isList || items.length > 1 ? items : own[0];
}

function takesName({ place, name, style, explode, schema }: Parameter, key: string): boolean {
  if (place !== 'query') return false;
  if (key === name) return true;
  if (style === 'deepObject') return key.startsWith(`${name}[`);
  if (style !== 'form' || !explode || schema['type'] !== 'object') return false;
  const { additionalProperties } = schema;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  return isOpen || Object.hasOwn(nodeOf(schema['properties']), key);
}

function readSimple({ schema, isJson, style }: Parameter, value: string | undefined): unknown {
  if (value === undefined || value === '') return undefined;
  if (isJson) return JSON.parse(value);
  const bare = style === 'label' ? value.slice(1) : style === 'matrix' ? value.replace(/^;[^=]*=/, '') : value;
  return schema['type'] === 'array' ? bare.split(/, ?/) : bare;
}

function readCookie({ name }: Parameter, header = ''): unknown {
  return header
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** `a[b][0]=1` and repeated names as one value. */
function readDeep(pairs: readonly (readonly [string, string])[]): Node {
  const all: Node = {};
  for (const [key, text] of pairs) {
    const steps = key.split(/\[|\]\[?/).filter((step, index) => index === 0 || step !== '');
    let place = all;
    for (const [index, step] of steps.entries()) {
      if (index < steps.length - 1) place = (place[step] ??= {}) as Node;
      else place[step] = place[step] === undefined ? text : [place[step], text].flat();
    }
  }
  const toLists = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).map(([key, part]) => [key, toLists(part)] as const);
    return entries.every(([key], index) => key === String(index))
      ? entries.map(([, part]) => part)
      : Object.fromEntries(entries);
  };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, toLists(value)]));
}

/** A copy for a validator of JSON Schema 2020-12: bounds, nulls and what only the server sets, as OpenAPI 3.0 has them. */
function toModern(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toModern);
  if (typeof value !== 'object' || value === null) return value;
  const node = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toModern(part)]));
  if (typeof node['exclusiveMinimum'] === 'boolean') {
    if (node['exclusiveMinimum']) node['exclusiveMinimum'] = node['minimum'];
    else delete node['exclusiveMinimum'];
  }
  if (typeof node['exclusiveMaximum'] === 'boolean') {
    if (node['exclusiveMaximum']) node['exclusiveMaximum'] = node['maximum'];
    else delete node['exclusiveMaximum'];
  }
  if (node['nullable'] === true && typeof node['type'] === 'string') {
    node['type'] = [node['type'], 'null'];
    if (Array.isArray(node['enum'])) node['enum'] = [...(node['enum'] as unknown[]), null];
    delete node['nullable'];
  }
  if (typeof node['nullable'] === 'boolean') delete node['nullable'];
  // In a parameter of Swagger 2.0 it is a flag, in a schema a list of names.
  if (typeof node['required'] === 'boolean' || !Array.isArray(node['required'])) delete node['required'];
  else if (typeof node['properties'] === 'object') {
    const properties = node['properties'] as Node;
    node['required'] = (node['required'] as string[]).filter(
      (name) => (properties[name] as Node | undefined)?.['readOnly'] !== true,
    );
  }
  for (const key of ['discriminator', 'example', 'examples', 'xml', '$schema', '$self', 'id']) {
    if (key === 'id' ? typeof node[key] === 'string' : node[key] !== undefined && typeof node['type'] !== 'undefined')
      delete node[key];
  }
  if (Array.isArray(node['enum']) && node['enum'].length === 0) delete node['enum'];
  return node;
}
