import type { CompileContext } from './compile-context.ts';
import { renderEntries, toEntries, toTextEntries } from './compile-entries.ts';
import { compileJsonBody, compileJsonText } from './compile-json-body.ts';
import { type TemplateArguments, fillTemplate, refuseArgument } from './fill-template.ts';
import { createPartReader, markPlaceholders, type Placeholder, parseTemplate } from './template.ts';

/** A request body with compiled templates. */
export interface CompiledBody {
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
    if (!text.isWellFormed()) throw refuseArgument(name, place, 'holds half of a surrogate pair, which is not text');
    // A placeholder that is the whole body stands for the document itself.
    if (!isXml || parts.length === 1) return text;
    if (NOT_XML.test(text)) throw refuseArgument(name, place, 'holds a character that XML cannot carry');
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
