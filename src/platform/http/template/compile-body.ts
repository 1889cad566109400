import { isPlainObject } from '../../../tool/json.ts';
import { formatPath } from '../../../tool/texts/explain-issues.ts';
import { renderEntries, toEntries, toTextEntries } from './compile-entries.ts';
import { fillTemplate, refuseArgument, type TemplateArguments, toText, valueOf } from './fill-template.ts';
import {
  type CompileContext,
  createPartReader,
  type DefinitionPath,
  markPlaceholders,
  parseTemplate,
  type Placeholder,
  type TemplatePart,
} from './template.ts';

interface CompiledBody {
  /** The `Content-Type` to send when `headers` has none. */
  readonly contentType: string;
  /** Returns the body for one call; `undefined` when there is nothing to send. */
  render(args: TemplateArguments): string | undefined;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = /[/+]json$/;
const XML_TYPE = /[/+]xml$/;
/** Characters that XML 1.0 cannot carry, not even escaped. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Compiles a body for its media type: JSON, a form, XML or any other text. */
export function compileBody(
  body: unknown,
  mediaType: string | undefined,
  context: CompileContext,
): CompiledBody | undefined {
  if (body === undefined || body === null) return undefined;
  const path = ['body'];
  if (mediaType?.startsWith('multipart/') === true) {
    context.report(path, `cannot be sent as ${mediaType}. Use multipart instead of body.`);
    return undefined;
  }
  if (mediaType === FORM) {
    const entries = typeof body === 'string' ? readForm(body, context) : toEntries(body, path, context);
    return { contentType: FORM, render: (args) => renderEntries(entries, args) };
  }
  if (typeof body !== 'string')
    return { contentType: 'application/json', render: compileJsonBody(body, path, context) };
  if (mediaType !== undefined && JSON_TYPE.test(mediaType))
    return { contentType: mediaType, render: compileJsonText(body, path, context) };
  // Without a type, text that looks like JSON or a form is treated as such.
  if (mediaType === undefined && /^\s*[[{]/.test(body))
    return { contentType: 'application/json', render: compileJsonText(body, path, context) };
  if (mediaType === undefined && /^[\w.-]+=[^\s]*$/.test(body)) {
    const entries = readForm(body, context);
    return { contentType: FORM, render: (args) => renderEntries(entries, args) };
  }
  return compileText(body, XML_TYPE.test(mediaType ?? ''), context);
}

function readForm(body: string, context: CompileContext): ReturnType<typeof toTextEntries> {
  const template = context.read(body, ['body']);
  return toTextEntries(markPlaceholders(template), {
    take: createPartReader(template.placeholders),
    path: ['body'],
    context,
  });
}

function compileText(body: string, isXml: boolean, context: CompileContext): CompiledBody {
  const { parts } = context.read(body, ['body']);
  const place = 'the body';
  const encode = (text: string, { name }: Placeholder): string => {
    if (!text.isWellFormed()) throw refuseArgument(name, place, 'contains half of a surrogate pair, which is not text');
    // A placeholder that is the whole body is the document itself.
    if (!isXml || parts.length === 1) return text;
    if (NOT_XML.test(text)) throw refuseArgument(name, place, 'contains a character that XML cannot carry');
    return text.replace(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? character);
  };
  return { contentType: 'text/plain; charset=utf-8', render: (args) => fillTemplate(parts, args, { place, encode }) };
}

/** A GraphQL request as a config file describes it. */
export interface GraphqlDefinition {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operation?: string | undefined;
}

/** Compiles a GraphQL request. The query is sent unchanged: a placeholder in it could change its meaning. */
export function compileGraphql(
  { query, variables, operation }: GraphqlDefinition,
  names: readonly string[],
  context: CompileContext,
): CompiledBody {
  const [placeholder] = parseTemplate(query).placeholders;
  if (placeholder !== undefined) {
    const { name } = placeholder;
    const message = `must not have a placeholder: a value could change the query. Write $${name} instead, and variables: { ${name}: '{{${name}}}' }.`;
    context.report(['graphql', 'query'], message);
  }
  const declared = new Set([...query.matchAll(/\$(\w+)\s*:/g)].map(([, name = '']) => name));
  const given =
    variables ?? Object.fromEntries(names.filter((name) => declared.has(name)).map((name) => [name, `{{${name}}}`]));
  const render = compileJsonBody(given, ['graphql', 'variables'], context);
  const fixed = JSON.stringify({ query, ...(operation === undefined ? {} : { operationName: operation }) });
  return {
    contentType: 'application/json',
    render: (args) => `${fixed.slice(0, -1)},"variables":${render(args) ?? '{}'}}`,
  };
}

/** Sources of a part's bytes: a stored output, a file, or text or base64 in the call. */
const PART_SOURCES = ['output', 'path', 'content'] as const;

export interface RenderedPart {
  readonly name: string;
  readonly from: (typeof PART_SOURCES)[number];
  /** The text itself, the path, or the output id. */
  readonly value: string;
  readonly isBase64: boolean;
  /** The argument to name in error messages. */
  readonly argument: string;
  /** Without a filename, a part that is no file is sent as a plain field. */
  readonly filename: string | undefined;
  readonly type: string | undefined;
}

/** Returns the parts for one call, leaving out those whose arguments have no value. */
export type RenderParts = (args: TemplateArguments) => RenderedPart[];

/** Characters that a media type cannot contain. */
const NO_TYPE = /[^\x20-\x7e]/;

/**
 * Compiles the `multipart` of a request: fields as templates, files as `{ output, path or content, filename, type }`.
 */
export function compileMultipart(section: Readonly<Record<string, unknown>>, context: CompileContext): RenderParts {
  const parts = Object.entries(section).map(([name, given]) => {
    const path = ['multipart', name];
    if (name.includes('{{')) context.report(path, 'must not have a placeholder in its name.');
    return compilePart(name, isPlainObject(given) ? given : { content: given }, { path, context });
  });
  return (args) => parts.flatMap((render) => render(args) ?? []);
}

function compilePart(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { path, context }: { readonly path: DefinitionPath; readonly context: CompileContext },
): (args: TemplateArguments) => RenderedPart | undefined {
  const read = (key: string): readonly TemplatePart[] | undefined =>
    given[key] === undefined ? undefined : context.read(toText(given[key]), [...path, key]).parts;
  const sources = PART_SOURCES.flatMap((from) => {
    const parts = read(from);
    if (parts === undefined) return [];
    // A path or id assembled from pieces could name anything.
    if (from !== 'content' && parts.length > 1)
      context.report([...path, from], 'must be one placeholder such as {{file}}, or have none.');
    const first = parts.find((part) => typeof part === 'object');
    return [{ from, parts, argument: first?.name ?? name }];
  });
  if (sources.length === 0) context.report(path, 'needs content, path or output: where its bytes come from.');
  const filename = read('filename');
  const type = given['type'] === undefined ? undefined : toText(given['type']);
  if (type !== undefined && (NO_TYPE.test(type) || type.includes('{{')))
    context.report([...path, 'type'], 'must be a media type such as image/png, without placeholders.');
  const fill = (parts: readonly TemplatePart[], args: TemplateArguments): string | undefined =>
    fillTemplate(parts, args, { place: `the part "${name}"`, encode: (text) => text });
  return (args) => {
    for (const { from, parts, argument } of sources) {
      const value = fill(parts, args);
      if (value === undefined) continue;
      const isBase64 = from === 'content' && given['encoding'] === 'base64';
      const file = filename === undefined ? undefined : fill(filename, args);
      return { name, from, value, isBase64, argument, filename: file, type };
    }
    return undefined;
  };
}

/** Returns the JSON text for one call, or `undefined` when there is nothing to send. */
type RenderJson = (args: TemplateArguments) => string | undefined;

const MAX_DEPTH = 100;

/**
 * Compiles a JSON body. A text that is one placeholder becomes the argument with its type; a placeholder inside longer
 * text becomes part of the text. Keys and items whose only placeholder has no value are left out.
 */
function compileJsonBody(body: unknown, path: DefinitionPath, context: CompileContext): RenderJson {
  if (path.length > MAX_DEPTH) {
    context.report(path, `is nested deeper than ${MAX_DEPTH} levels.`);
    return () => undefined;
  }
  if (typeof body === 'string') return compileJsonString(body, path, context);
  if (Array.isArray(body)) {
    const items = body.map((item, index) => compileJsonBody(item, [...path, index], context));
    return (args) => `[${items.flatMap((render) => render(args) ?? []).join(',')}]`;
  }
  if (isPlainObject(body)) {
    const entries = Object.entries(body).map(([key, value]) => {
      if (key.includes('{{')) context.report([...path, key], 'must not have a placeholder in its name.');
      return { key: JSON.stringify(key), render: compileJsonBody(value, [...path, key], context) };
    });
    return (args) => renderObject(entries, args);
  }
  const fixed = JSON.stringify(body);
  return () => fixed;
}

/** Compiles a JSON body given as text. Placeholders may be inside quotes or replace a value. */
function compileJsonText(text: string, path: DefinitionPath, context: CompileContext): RenderJson {
  const { parts } = parseTemplate(text);
  let isQuoted = false;
  let source = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      source += part;
      for (const token of part.matchAll(/\\.|"/gs)) if (token[0] === '"') isQuoted = !isQuoted;
    } else {
      const placeholder = text.slice(part.start, part.end);
      source += isQuoted ? placeholder : JSON.stringify(placeholder);
    }
  }
  try {
    return compileJsonBody(JSON.parse(source), path, context);
  } catch {
    const message = 'must be JSON, as its Content-Type says. Placeholders may be inside quotes or in place of a value.';
    context.report(path, message);
    return () => undefined;
  }
}

/** Compiles a text inside a JSON body. */
function compileJsonString(text: string, path: DefinitionPath, context: CompileContext): RenderJson {
  const { parts } = context.read(text, path);
  const [first, ...rest] = parts;
  if (parts.every((part) => typeof part === 'string')) {
    const fixed = JSON.stringify(parts.join(''));
    return () => fixed;
  }
  if (rest.length > 0 || typeof first !== 'object') return (args) => renderText(parts, args, path);
  const { name, fallback } = first;
  const typed = fallback === undefined ? undefined : JSON.stringify(context.typedFallback(name, fallback));
  const sole = { ...first, fallback: undefined };
  return (args) => {
    const value = valueOf(sole, args);
    return value === undefined ? typed : JSON.stringify(value);
  };
}

function renderText(parts: readonly TemplatePart[], args: TemplateArguments, path: DefinitionPath): string | undefined {
  const text = fillTemplate(parts, args, { place: formatPath(path), encode: (value) => value });
  return text === undefined ? undefined : JSON.stringify(text);
}

function renderObject(
  entries: readonly { readonly key: string; readonly render: RenderJson }[],
  args: TemplateArguments,
): string {
  let text = '';
  for (const { key, render } of entries) {
    const value = render(args);
    if (value !== undefined) text += `${text === '' ? '' : ','}${key}:${value}`;
  }
  return `{${text}}`;
}
