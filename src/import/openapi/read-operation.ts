import { formatPath } from '../../tool/texts/explain-issues.ts';
import { compileRequest } from '../../platform/http/template/compile-request.ts';
import type { EntryStyle } from '../../platform/http/template/template.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { createArgumentList } from './argument-list.ts';
import { collectParameters, type OperationParameter, placeParameters } from './place-parameters.ts';
import type { SchemaConverter } from './convert-schema.ts';
import { guessOperationRisk, isPathFree } from './guess-operation.ts';
import { makeExamples, readUtterances, type ToolExample } from './read-examples.ts';
import { type FilePart, readRequestBody } from './read-request-body.ts';
import { type Credentials, NO_CREDENTIALS, type OperationAuth, readSecurity, takeSecrets } from './read-security.ts';
import { type ServerChoice, serverOrigin, serverUrl } from './server-url.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** One request of an http tool, with `{{placeholders}}` for its arguments. */
interface HttpToolRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** One placeholder, or a placeholder for each key. */
  readonly body?: string | Readonly<Record<string, string>>;
  /** The parts of a form with files. */
  readonly multipart?: Readonly<Record<string, string | FilePart>>;
  /** The styles of lists and objects in the query or a form. */
  readonly styles?: Readonly<Record<string, EntryStyle>>;
}

/** An http tool in a config file: plain data, ready to be written as YAML. */
export interface HttpToolEntry {
  readonly id: string;
  readonly description: string;
  readonly type: 'http';
  /** JSON Schema 2020-12 of all parameters and the body together. */
  readonly schema: JsonSchema;
  /** The credentials of its requests. */
  readonly auth?: OperationAuth;
  readonly requests: readonly HttpToolRequest[];
  /** The first tag. */
  readonly category?: string;
  readonly tags: readonly string[];
  readonly risk: ToolRisk;
  /** The arguments that are file paths. */
  readonly paths?: readonly string[];
  readonly examples?: readonly ToolExample[];
  /** Further texts of the document, for searches. */
  readonly utterances?: readonly string[];
}

export interface ToolOrigin {
  /** `GET /users/{id}`. */
  readonly operation: string;
  readonly riskFrom: string;
  /** The beginning of its URL. */
  readonly baseUrl: string;
  /** True when that is the server that credentials are for. */
  readonly isMain: boolean;
}

export interface FoundOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly pathItem: DocumentNode;
  readonly operation: DocumentNode;
}

/** The state that all operations of a document share. */
export interface OperationTools extends ServerChoice {
  readonly reader: ReferenceReader;
  readonly converter: SchemaConverter;
  /** The server that credentials are for, as returned by `serverOrigin`. */
  readonly main: string | undefined;
}

/** Returns the server lists of an operation, nearest first. */
export function serversOf(
  { operation, pathItem }: Pick<FoundOperation, 'operation' | 'pathItem'>,
  { document }: Pick<ReferenceReader, 'document'>,
): unknown[] {
  return [operation['servers'], pathItem['servers'], document['servers']];
}

/** More than any model fills in: checking all of them would take minutes. */
const MAX_ARGUMENTS = 2000;
/** The tag of tools that were only guessed to read. */
const GUESSED_READ = 'guessed-read';

/** Marks paths among the arguments: files to send are paths; if nothing mentions files, there are none. */
function pathsOf(schema: JsonSchema, files: readonly string[] = []): { paths?: readonly string[] } {
  if (files.length > 0) return { paths: files };
  return isPathFree(schema) ? { paths: [] } : {};
}

/** Creates an http tool for an operation; `undefined`, with a note, if its body cannot be sent. */
export function readOperation(
  source: FoundOperation,
  tools: OperationTools,
): { readonly tool: HttpToolEntry; readonly origin: ToolOrigin } | undefined {
  const { id, method, path, pathItem, operation } = source;
  const { reader, converter } = tools;
  const where = `${method.toUpperCase()} ${path}`;
  const list = createArgumentList();
  const base = serverUrl(serversOf(source, reader), tools);
  const isMain = serverOrigin(base) === tools.main;
  const security = isMain ? readSecurity(operation, reader) : NO_CREDENTIALS;
  if (!isMain) {
    const origin = serverOrigin(base).replace(/\/\/[^/]*@/, '//…@');
    reader.note(
      `Some operations go to ${origin} and not to ${tools.main}: they send no credentials. Add auth by hand if they are meant for it.`,
    );
  }
  const isCredential = createCredentialTest(security);
  const all = collectParameters([pathItem['parameters'], operation['parameters']], reader, converter);
  const { parameters, credentials } = takeSecrets(
    all.filter((parameter) => !isCredential(parameter)),
    security,
    { ...reader, isMain },
  );
  const placed = placeParameters(path, parameters, { list, converter });
  const requestBody = operation['requestBody'] === undefined ? undefined : reader.follow(operation['requestBody']);
  const body = readRequestBody(requestBody, { list, converter, reader, method });
  if (body.type === 'unsupported') {
    reader.note(`${where} was left out: ${body.reason}.`);
    return undefined;
  }
  const isDeprecated = operation['deprecated'] === true;
  if (isDeprecated) reader.note(`${where} is deprecated.`);
  const cookies = [...placed.cookies, ...credentials.cookies];
  const contentType = body.type === 'body' ? body.contentType : undefined;
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
    ...(body.type === 'body' && body.body !== undefined ? { body: body.body } : {}),
    ...(body.type === 'body' && body.multipart !== undefined ? { multipart: body.multipart } : {}),
    ...optional('styles', { ...placed.styles, ...(body.type === 'body' ? body.styles : {}) }),
  };
  if (list.size > MAX_ARGUMENTS) {
    reader.note(`${where} was left out: it has more than ${MAX_ARGUMENTS} arguments.`);
    return undefined;
  }
  const description = describeOperation(operation, where, isDeprecated);
  const schema = withDefinitions(list.toSchema(), converter);
  const fault = findFault({ ...request, url: checkedUrl(base) + placed.path }, schema);
  if (fault !== undefined) {
    reader.note(`${where} was left out: ${fault}`);
    return undefined;
  }
  const shown = body.type === 'body' ? body : undefined;
  const summary = description.split('\n', 1)[0] ?? description;
  const examples = makeExamples({ list, body: shown, schema, description: summary });
  const told = [description, ...examples.map((example) => example.description)].join('\n');
  const utterances = readUtterances({ id, operation, pathItem, description: told }, reader);
  const tags = tagsOf(operation, reader.document);
  const { risk, from } = guessOperationRisk({ method, path, name: id, summary });
  const tool: HttpToolEntry = {
    id,
    description,
    type: 'http',
    ...(tags[0] === undefined ? {} : { category: tags[0] }),
    tags: risk === 'read' ? [...tags, GUESSED_READ] : tags,
    risk,
    schema,
    ...(credentials.auth === undefined ? {} : { auth: credentials.auth }),
    requests: [request],
    ...pathsOf(schema, body.type === 'body' ? body.paths : undefined),
    ...(examples.length === 0 ? {} : { examples }),
    ...(utterances.length === 0 ? {} : { utterances }),
  };
  return { tool, origin: { operation: where, riskFrom: from, baseUrl: base, isMain } };
}

/** Creates a test for parameters that are already sent as credentials. */
function createCredentialTest({ auth, headers, query }: Credentials): (parameter: OperationParameter) => boolean {
  const own = auth?.type === 'api_key' ? [auth.in, auth.name] : auth === undefined ? [] : ['header', 'Authorization'];
  const names = new Set(
    [...Object.keys(headers), ...(own[0] === 'header' ? own : [])].map((name) => name.toLowerCase()),
  );
  return ({ name, place }) =>
    (place === 'header' && names.has(name.toLowerCase())) ||
    (place === 'query' && Object.hasOwn(query, name)) ||
    (place === own[0] && name === own[1]);
}

const MAX_TAGS = 50;

/** Returns the tags of an operation, each with its parents (OpenAPI 3.2). */
function tagsOf({ tags }: DocumentNode, { tags: known }: DocumentNode): string[] {
  const above = new Map<string, unknown>();
  for (const tag of Array.isArray(known) ? known : []) {
    if (isPlainObject(tag) && typeof tag['name'] === 'string') above.set(tag['name'], tag['parent']);
  }
  const found = new Set<string>();
  for (const tag of Array.isArray(tags) ? tags : []) {
    for (let name: unknown = tag; typeof name === 'string' && name !== '' && !found.has(name); name = above.get(name)) {
      if (found.size >= MAX_TAGS) return [...found];
      found.add(name);
    }
  }
  return [...found];
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

/** Returns a server's address as far as it is known now. */
function checkedUrl(base: string): string {
  return base.includes('${') ? 'https://api.example.com' : base;
}

/** Finds a fault that prevents a request, such as braces in a name: the whole file would not load. */
function findFault({ styles = {}, ...request }: HttpToolRequest, schema: JsonSchema): string | undefined {
  const compiled = compileRequest(request, { schema, styles });
  const [first] = compiled.ok ? [] : compiled.faults;
  return first === undefined ? undefined : `${formatPath(first.path)} ${first.message}`;
}

function withDefinitions(schema: JsonSchema, converter: SchemaConverter): JsonSchema {
  const definitions = converter.definitions(schema);
  return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
}

function optional<K extends 'headers' | 'query' | 'styles', V extends string>(
  key: K,
  section: Readonly<Record<string, V>>,
): { [P in K]?: Readonly<Record<string, V>> } {
  // TypeScript widens a computed key to `string`.
  return (Object.keys(section).length === 0 ? {} : { [key]: section }) as { [P in K]?: Readonly<Record<string, V>> };
}
