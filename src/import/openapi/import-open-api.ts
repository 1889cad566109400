import { isPlainObject } from '../../tool/json.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { countParts, isDeeperThan } from './break-loops.ts';
import { createSchemaConverter } from './convert-schema.ts';
import { nameOperations } from './name-operations.ts';
import {
  type FoundOperation,
  type HttpToolEntry,
  type OperationTools,
  readOperation,
  serversOf,
  type ToolOrigin,
} from './read-operation.ts';
import type { OperationAuth } from './read-security.ts';
import { createReferenceReader, type DocumentNode, type ReferenceReader } from './reference-reader.ts';
import { type ServerChoice, serverOrigin, serverUrl } from './server-url.ts';
import { upgradeSwagger } from './upgrade-swagger.ts';

/** Selects operations and the server. */
export interface ImportOpenApiOptions extends ServerChoice {
  /** Only these operations. Default: all. */
  readonly include?: OperationSelection | undefined;
  /** All operations except these. */
  readonly exclude?: OperationSelection | undefined;
  /** Called after each operation. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The tools of a document, and notes for the user. */
export interface OpenApiImport {
  readonly tools: readonly HttpToolEntry[];
  /** The origin of each tool, by its id. */
  readonly origins: ReadonlyMap<string, ToolOrigin>;
  /** All operations of the document, selected or not, as `GET /users/{id}`. */
  readonly operations: ReadonlySet<string>;
  readonly notes: readonly string[];
}

/** The most operations of one import: more would never fit into a config file. */
const MAX_OPERATIONS = 30_000;
/** The most objects, lists and values of all tools together: some hundred megabytes. */
const MAX_PARTS = 20_000_000;
/** Characters of a text that count as a part: the whole output must fit into one string. */
const PER_PART = 16;
/** The most levels of a tool: a board reads files of 60. */
const MAX_LEVELS = 56;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'];
/** Further methods that requests can have. */
const OTHER_METHODS = /^(?:SEARCH|COPY|MOVE|LINK|UNLINK|LOCK|UNLOCK|PURGE|REPORT|PROPFIND|PROPPATCH|MKCOL)$/;

/**
 * Converts a parsed OpenAPI 3.x or Swagger 2.0 document to http tools.
 *
 * Skips parts that cannot become part of a tool, and notes them. Throws `ToolError` for other documents.
 */
export function importOpenApi(document: unknown, options: ImportOpenApiOptions = {}): OpenApiImport {
  const checked = checkVersion(document);
  const reader = createReferenceReader(checked);
  const converter = createSchemaConverter(reader);
  const all = listOperations(reader);
  // Names are assigned before the selection, so that it does not change them.
  const names = nameOperations(all);
  const chosen = all
    .map((operation, index) => ({ ...operation, id: names[index] ?? '' }))
    .filter((operation) => isWanted(operation, options));
  if (chosen.length > MAX_OPERATIONS) throw tooMany(chosen.length);
  let left = MAX_PARTS;
  const shared = { ...options, reader, converter };
  const main = findMainServer(chosen, shared);
  const made = chosen.flatMap((operation, index) => {
    const tool = readOperation(operation, { ...shared, main });
    left -= countParts(tool?.tool, left, PER_PART);
    if (left < 0) throw tooLarge(index);
    if (isDeeperThan(tool?.tool, MAX_LEVELS)) {
      const where = `${operation.method.toUpperCase()} ${operation.path}`;
      reader.note(`${where} was left out: it has values that are nested deeper than ${MAX_LEVELS} levels.`);
      return [];
    }
    options.onProgress?.(index + 1, chosen.length);
    return tool ?? [];
  });
  noteUnmatched(all, names, { include: options.include, note: reader.note });
  if (made.length === 0) reader.note('No operation was imported. Check what was chosen with --only and --exclude.');
  const operations = new Set(all.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  const origins = new Map(made.map(({ tool, origin }) => [tool.id, origin]));
  return { tools: made.map(({ tool }) => tool), origins, operations, notes: reader.notes };
}

/** Returns the server that credentials are for: the document's own, or that of most operations if none uses it. */
function findMainServer(chosen: readonly FoundOperation[], tools: Omit<OperationTools, 'main'>): string | undefined {
  const quiet = { ...tools, reader: { note: () => {} } };
  const counts = new Map<string, number>();
  for (const operation of chosen) {
    const origin = serverOrigin(serverUrl(serversOf(operation, tools.reader), quiet));
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  const own = serverOrigin(serverUrl([tools.reader.document['servers']], quiet));
  return counts.has(own) ? own : [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

function tooMany(count: number): ToolError {
  const [many, most] = [count, MAX_OPERATIONS].map((number) => number.toLocaleString('en-US'));
  const message = `The document has ${many} operations, and a config file holds ${most} at most. Choose some: pegboard import openapi DOCUMENT --only TAG.`;
  return new ToolError({ code: 'output_too_large', message });
}

function tooLarge(count: number): ToolError {
  const message = `The first ${count} operations alone become tools of more than ${MAX_PARTS.toLocaleString('en-US')} parts. Choose some with --only.`;
  return new ToolError({ code: 'output_too_large', message });
}

interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly pathItem: DocumentNode;
  readonly operation: DocumentNode;
  readonly operationId: string | undefined;
}

function listOperations(reader: ReferenceReader): ListedOperation[] {
  const { paths } = reader.document;
  return Object.entries(isPlainObject(paths) ? paths : {}).flatMap(([path, item]) => {
    const pathItem = path.startsWith('/') ? reader.follow(item) : undefined;
    if (pathItem === undefined) return [];
    const { additionalOperations } = pathItem;
    const others = Object.entries(isPlainObject(additionalOperations) ? additionalOperations : {}).filter(
      ([method]) => {
        if (OTHER_METHODS.test(method)) return true;
        reader.note(`${method} ${path} was left out: requests cannot have this method.`);
        return false;
      },
    );
    const own = METHODS.map((method) => [method, pathItem[method]] as const);
    return [...own, ...others].flatMap(([method, operation]) => {
      if (!isPlainObject(operation)) return [];
      const { operationId: id } = operation;
      const operationId = typeof id === 'string' ? id : undefined;
      return [{ method: method.toLowerCase(), path, pathItem, operation, operationId }];
    });
  });
}

function checkVersion(document: unknown): DocumentNode {
  const { openapi, swagger } = isPlainObject(document) ? document : {};
  if (isPlainObject(document) && typeof openapi === 'string' && /^3\.\d/.test(openapi)) return document;
  // YAML reads 2.0 as a number.
  if (isPlainObject(document) && (swagger === '2.0' || swagger === 2)) return upgradeSwagger(document);
  const message =
    swagger === undefined
      ? `This is not an OpenAPI document: "openapi" is ${describeValue(openapi)}. It must be a version such as "3.1.0".`
      : `This is a Swagger ${describeValue(swagger)} document. Convert it to Swagger 2.0 or OpenAPI 3 first.`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'openapi' });
}

function isWanted(operation: ListedOperation & { readonly id: string }, options: ImportOpenApiOptions): boolean {
  const selectable = toSelectable(operation, operation.id);
  const { include, exclude } = options;
  return (
    (include === undefined || isSelected(selectable, include)) &&
    !(exclude !== undefined && isSelected(selectable, exclude))
  );
}

function toSelectable({ operation, path, operationId }: ListedOperation, id: string): SelectableOperation {
  const { tags } = operation;
  return {
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    path,
    names: operationId === undefined ? [id] : [id, operationId],
  };
}

/** Notes selected operations that are not in the document. */
function noteUnmatched(
  all: readonly ListedOperation[],
  names: readonly string[],
  { include, note }: { readonly include: OperationSelection | undefined; readonly note: (text: string) => void },
): void {
  if (include === undefined) return;
  const operations = all.map((operation, index) => toSelectable(operation, names[index] ?? ''));
  const { tags = [], paths = [], operations: ids = [] } = include;
  const tell = (pattern: string, known: readonly string[]): void => {
    const [nearest] = nearestNames(pattern, new Set(known), 1);
    note(`Nothing in the document is "${pattern}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`);
  };
  const has = (selection: OperationSelection): boolean => operations.some((one) => isSelected(one, selection));
  const allTags = operations.flatMap((one) => one.tags);
  for (const tag of tags)
    if (!has({ tags: [tag] }) && !(ids.includes(tag) && has({ operations: [tag] })))
      tell(tag, [...allTags, ...(ids.includes(tag) ? names : [])]);
  for (const path of paths)
    if (!has({ paths: [path] }))
      tell(
        path,
        operations.map((one) => one.path),
      );
  for (const id of ids) if (!tags.includes(id) && !has({ operations: [id] })) tell(id, names);
}

/** Selects operations by tag, path or id. `*` matches anything. */
export interface OperationSelection {
  readonly tags?: readonly string[];
  readonly paths?: readonly string[];
  readonly operations?: readonly string[];
}

/** The facts that a selection is matched against. */
interface SelectableOperation {
  readonly tags: readonly string[];
  readonly path: string;
  /** The name of the tool, and the document's own id. */
  readonly names: readonly string[];
}

function isSelected(operation: SelectableOperation, selection: OperationSelection): boolean {
  const { tags = [], paths = [], operations = [] } = selection;
  return (
    tags.some((pattern) => operation.tags.some((tag) => matches(tag, pattern))) ||
    paths.some((pattern) => matches(operation.path, pattern)) ||
    operations.some((pattern) => operation.names.some((name) => matches(name, pattern)))
  );
}

/** Matches a pattern piece by piece from the left, in linear time. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

/** Settings that the tools of a file share, in its section `http`. */
export interface SharedSettings {
  readonly base_url?: string;
  readonly auth?: OperationAuth;
}

/** A tool beside such a section. */
export type SharingTool = Omit<HttpToolEntry, 'auth'> & { readonly auth?: OperationAuth | { readonly type: 'none' } };

/** Moves the address and the credentials of most tools into shared settings. */
export function shareSettings(
  tools: readonly HttpToolEntry[],
  origins: ReadonlyMap<string, Pick<ToolOrigin, 'baseUrl' | 'isMain'>>,
): { readonly http: SharedSettings | undefined; readonly tools: readonly SharingTool[] } {
  // The shared credentials go to this address, so it must be the server that they are for.
  const mains = tools.map(({ id }) => origins.get(id)).filter((origin) => origin?.isMain === true);
  const base = mostFrequent(mains.map((origin) => origin?.baseUrl).filter((url) => url?.includes('{') === false));
  const auth = mostFrequent(tools.map((tool) => (tool.auth === undefined ? undefined : JSON.stringify(tool.auth))));
  const shared = tools.map((tool): SharingTool => {
    const { auth: own, requests, ...rest } = tool;
    const isAtBase = base !== undefined && origins.get(tool.id)?.baseUrl === base;
    const isShared = JSON.stringify(own) === auth;
    const written = isShared ? undefined : (own ?? (auth === undefined ? undefined : { type: 'none' as const }));
    return {
      ...rest,
      ...(written === undefined ? {} : { auth: written }),
      requests: requests.map((request) =>
        isAtBase ? { ...request, url: request.url.slice(base.length) || '/' } : request,
      ),
    };
  });
  const http: SharedSettings = {
    ...(base === undefined ? {} : { base_url: base }),
    // Serialized just above.
    ...(auth === undefined ? {} : { auth: JSON.parse(auth) as OperationAuth }),
  };
  return { http: Object.keys(http).length === 0 ? undefined : http, tools: shared };
}

function mostFrequent(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
