import { type JsonSchema, isPlainObject } from '../../tool/json.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { createArgumentList } from './argument-list.ts';
import { collectParameters } from './collect-parameters.ts';
import type { SchemaConverter } from './convert-schema.ts';
import { placeParameters } from './place-parameters.ts';
import { readRequestBody } from './read-request-body.ts';
import { readSecurity } from './read-security.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** One request of an http tool, with `{{placeholders}}` for its arguments. */
interface HttpToolRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** One placeholder, or a placeholder for each key. */
  readonly body?: string | Readonly<Record<string, string>>;
}

/** An http tool as a config file holds it: plain data, ready to be written as YAML. */
export interface HttpToolEntry {
  readonly id: string;
  readonly description: string;
  readonly type: 'http';
  /** JSON Schema 2020-12 of all parameters and the body together. */
  readonly schema: JsonSchema;
  readonly requests: readonly HttpToolRequest[];
  readonly tags: readonly string[];
  readonly risk: ToolRisk;
}

/** An operation and where it is. */
export interface FoundOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly pathItem: DocumentNode;
  readonly operation: DocumentNode;
}

/** What the operations of one document share. */
export interface OperationTools {
  readonly reader: ReferenceReader;
  readonly converter: SchemaConverter;
  readonly baseUrl: string | undefined;
}

const RISKS: Readonly<Record<string, ToolRisk>> = { get: 'read', head: 'read', options: 'read', delete: 'destructive' };

/** Makes an http tool of an operation; `undefined`, with a note, where its body cannot be sent. */
export function readOperation(source: FoundOperation, tools: OperationTools): HttpToolEntry | undefined {
  const { id, method, path, pathItem, operation } = source;
  const { reader, converter, baseUrl } = tools;
  const where = `${method.toUpperCase()} ${path}`;
  const list = createArgumentList();
  const parameters = collectParameters([pathItem['parameters'], operation['parameters']], reader, converter);
  const placed = placeParameters(path, parameters, { list, converter });
  const requestBody = operation['requestBody'] === undefined ? undefined : reader.follow(operation['requestBody']);
  const body = readRequestBody(requestBody, { list, converter });
  if (body.type === 'unsupported') {
    reader.note(`${where} was left out: ${body.reason}.`);
    return undefined;
  }
  const isDeprecated = operation['deprecated'] === true;
  if (isDeprecated) reader.note(`${where} is deprecated.`);
  const credentials = readSecurity(operation, reader);
  const cookies = [...placed.cookies, ...credentials.cookies];
  const contentType = body.type === 'body' ? body.contentType : undefined;
  const base = serverUrl([operation['servers'], pathItem['servers'], reader.document['servers']], baseUrl, reader);
  const request: HttpToolRequest = {
    method: method.toUpperCase(),
    url: base + placed.path,
    ...optional('headers', {
      ...placed.headers,
      ...credentials.headers,
      ...(cookies.length === 0 ? {} : { Cookie: cookies.join('; ') }),
      ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    }),
    ...optional('query', { ...placed.query, ...credentials.query }),
    ...(body.type === 'body' ? { body: body.body } : {}),
  };
  return {
    id,
    description: describeOperation(operation, where, isDeprecated),
    type: 'http',
    schema: withDefinitions(list.toSchema(), converter),
    requests: [request],
    tags: Array.isArray(operation['tags']) ? operation['tags'].filter((tag) => typeof tag === 'string') : [],
    risk: RISKS[method] ?? 'write',
  };
}

function describeOperation(operation: DocumentNode, where: string, isDeprecated: boolean): string {
  const texts = [operation['summary'], operation['description']].map((text) =>
    typeof text === 'string' ? text.trim() : '',
  );
  const [summary = '', description = ''] = texts;
  const isRepeated = description.startsWith(summary);
  const text = isRepeated ? description : [summary, description].filter((part) => part !== '').join('\n\n');
  return `${isDeprecated ? 'Deprecated. ' : ''}${text === '' ? `${where}.` : text}`;
}

function withDefinitions(schema: JsonSchema, converter: SchemaConverter): JsonSchema {
  const definitions = converter.definitions(schema);
  return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
}

function optional<K extends 'headers' | 'query'>(
  key: K,
  section: Readonly<Record<string, string>>,
): { [P in K]?: Readonly<Record<string, string>> } {
  // A computed key widens to `string` for the compiler.
  return (Object.keys(section).length === 0 ? {} : { [key]: section }) as {
    [P in K]?: Readonly<Record<string, string>>;
  };
}

/** The address an operation's paths are added to, without a final slash. */
function serverUrl(
  lists: readonly unknown[],
  baseUrl: string | undefined,
  { note }: Pick<ReferenceReader, 'note'>,
): string {
  const servers = lists.find((list): list is unknown[] => Array.isArray(list) && list.length > 0) ?? [];
  const [first] = servers;
  const url =
    isPlainObject(first) && typeof first['url'] === 'string' ? fillVariables(first['url'], first['variables']) : '/';
  const isAbsolute = /^https?:\/\//i.test(url);
  if (baseUrl !== undefined) return withoutSlash(isAbsolute ? baseUrl : (URL.parse(url, baseUrl)?.href ?? baseUrl));
  if (!isAbsolute) {
    note('The document names no absolute server. Set BASE_URL, or import again with a base URL.');
    return withoutSlash(`\${BASE_URL}/${url.replace(/^\.?\/+/, '')}`);
  }
  if (servers.length > 1) note(`The document names ${servers.length} servers; requests go to the first, ${url}.`);
  return withoutSlash(url);
}

function fillVariables(url: string, variables: unknown): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isPlainObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isPlainObject(variable) ? variable['default'] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

function withoutSlash(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
}
