import { describeValue } from '../../tool/texts/describe-value.ts';
import { isPlainObject } from '../../tool/json.ts';
import { MAX_LEGAL_NAME, toLegalName } from '../../tool/texts/legal-name.ts';
import { freeName } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { createSchemaConverter } from './convert-schema.ts';
import type { HttpToolEntry } from './read-operation.ts';
import { readOperation } from './read-operation.ts';
import { createReferenceReader, type DocumentNode } from './reference-reader.ts';
import { isSelected, type OperationSelection } from './select-operations.ts';

/** Which operations to take, and where they are. */
export interface ImportOpenApiOptions {
  /** Only these; all of them by default. */
  readonly include?: OperationSelection | undefined;
  /** All but these. */
  readonly exclude?: OperationSelection | undefined;
  /** Where the API is, instead of what the document says. */
  readonly baseUrl?: string | undefined;
}

/** The tools of a document, and what a person should know about them. */
export interface OpenApiImport {
  readonly tools: readonly HttpToolEntry[];
  readonly notes: readonly string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/**
 * Turns an OpenAPI 3.x document, already parsed, into http tools.
 *
 * What cannot become part of a tool is left out and noted. Throws `ToolError` for what is not OpenAPI 3.x.
 */
export function importOpenApi(document: unknown, options: ImportOpenApiOptions = {}): OpenApiImport {
  const checked = checkVersion(document);
  const reader = createReferenceReader(checked);
  const converter = createSchemaConverter(reader);
  const tools = new Map<string, HttpToolEntry>();
  const { paths } = checked;
  for (const [path, item] of Object.entries(isPlainObject(paths) ? paths : {})) {
    const pathItem = path.startsWith('/') ? reader.follow(item) : undefined;
    if (pathItem === undefined) continue;
    for (const method of METHODS) {
      const operation = pathItem[method];
      if (!isPlainObject(operation) || !isWanted(operation, { method, path, options })) continue;
      const name = toLegalName(operationName(operation['operationId'], method, path));
      const id = tools.has(name) ? freeName(name, (candidate) => tools.has(candidate), MAX_LEGAL_NAME) : name;
      const tool = readOperation(
        { id, method, path, pathItem, operation },
        { reader, converter, baseUrl: options.baseUrl },
      );
      if (tool !== undefined) tools.set(id, tool);
    }
  }
  if (tools.size === 0) reader.note('No operation was imported. Check include and exclude.');
  return { tools: [...tools.values()], notes: reader.notes };
}

function checkVersion(document: unknown): DocumentNode {
  const { openapi, swagger } = isPlainObject(document) ? document : {};
  if (isPlainObject(document) && typeof openapi === 'string' && /^3\.\d/.test(openapi)) return document;
  const message =
    swagger === undefined
      ? `This is not an OpenAPI 3.x document: "openapi" is ${describeValue(openapi)}. It must be a version such as "3.1.0".`
      : `This is a Swagger ${describeValue(swagger)} document. Convert it to OpenAPI 3 first, for example with: npx swagger2openapi FILE`;
  throw new ToolError({ code: 'invalid_arguments', message, field: 'openapi' });
}

function isWanted(
  operation: DocumentNode,
  at: { readonly method: string; readonly path: string; readonly options: ImportOpenApiOptions },
): boolean {
  const { operationId, tags } = operation;
  const selectable = {
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    path: at.path,
    operationId: typeof operationId === 'string' ? operationId : operationName(undefined, at.method, at.path),
  };
  const { include, exclude } = at.options;
  return (
    (include === undefined || isSelected(selectable, include)) &&
    !(exclude !== undefined && isSelected(selectable, exclude))
  );
}

/** What an operation is called: its id, or its method and path. */
function operationName(operationId: unknown, method: string, path: string): string {
  if (typeof operationId === 'string') {
    const name = clean(operationId);
    if (name !== '') return name;
  }
  const words = path.replaceAll(/\{([^{}]*)\}/g, 'by_$1');
  return clean(`${method}${words}`);
}

function clean(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
}
