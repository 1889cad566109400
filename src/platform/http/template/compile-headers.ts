import { isPlainObject } from '../../../tool/json.ts';
import type { CompileContext, Placeholder, TemplatePart } from './template.ts';
import { type TemplateArguments, fillTemplate, refuseArgument, toText } from './fill-template.ts';

export interface CompiledHeaders {
  /** Returns the headers for one call. Throws a `ToolError` for a value that a header cannot contain. */
  render(args: TemplateArguments): Record<string, string>;
  /** The media type, lower case and without parameters, if `Content-Type` is set. */
  readonly mediaType: string | undefined;
  readonly hasContentType: boolean;
}

type RenderHeader = (args: TemplateArguments) => string | undefined;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Matches characters other than tab, space and visible latin-1 characters. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;
/** Headers that frame a message belong to the client: conflicting ones enable request smuggling. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Compiles the `headers` of a request. Names are fixed; values may contain placeholders. */
export function compileHeaders(section: unknown, context: CompileContext): CompiledHeaders {
  const headers = new Map<string, { readonly name: string; readonly render: RenderHeader }>();
  let contentType: readonly TemplatePart[] | undefined;
  if (section !== undefined && section !== null && !isPlainObject(section))
    context.report(['headers'], 'must map header names to values.');
  for (const [name, value] of Object.entries(isPlainObject(section) ? section : {})) {
    if (value === null || value === undefined) continue;
    const path = ['headers', name];
    const key = name.toLowerCase();
    const { parts } = context.read(toText(value), path);
    const isFixed = parts.every((part) => typeof part === 'string');
    if (!TOKEN.test(name)) context.report(path, 'is not a header name. Use letters, digits and hyphens.');
    else if (RESERVED.has(key)) context.report(path, 'is set by Pegboard itself. Leave it out.');
    else if (key === 'host' && !isFixed) context.report(path, 'must not contain a placeholder: it names the server.');
    else if (headers.has(key)) context.report(path, 'is given twice. Header names ignore case.');
    else if (parts.some((part) => typeof part === 'string' && UNSENDABLE.test(part))) {
      context.report(path, 'contains a line break, a control character or one outside latin-1. Take it out.');
    }
    if (key === 'content-type') contentType = parts;
    headers.set(key, { name, render: key === 'cookie' ? compileCookies(parts) : compileHeader(name, parts) });
  }
  const all = [...headers.values()];
  return {
    render: (args) => {
      const rendered = all.map(({ name, render }) => [name, render(args)] as const);
      return Object.fromEntries(rendered.filter((entry): entry is [string, string] => entry[1] !== undefined));
    },
    mediaType: contentType === undefined ? undefined : readMediaType(contentType),
    hasContentType: contentType !== undefined,
  };
}

function compileHeader(name: string, parts: readonly TemplatePart[]): RenderHeader {
  const place = `the header "${name}"`;
  const fixed = parts.every((part) => typeof part === 'string') ? parts.join('').trim() : undefined;
  if (fixed !== undefined) return () => fixed;
  const encode = (text: string, placeholder: Placeholder): string => checkValue(text, placeholder, place);
  const first = parts.find((part) => typeof part !== 'string')?.name ?? '';
  return (args) => {
    const value = fillTemplate(parts, args, { place, encode, separator: ', ' });
    // HTTP strips blanks at both ends, so the server would receive a different value.
    if (value !== undefined && /^[\t ]|[\t ]$/.test(value))
      throw refuseArgument(first, place, 'begins or ends with a blank');
    return value;
  };
}

/** Compiles each `name=value` of a `Cookie` header separately; cookies without a value are not sent. */
function compileCookies(parts: readonly TemplatePart[]): RenderHeader {
  const place = 'the header "Cookie"';
  const pairs: TemplatePart[][] = [[]];
  for (const part of parts) {
    const [first, ...rest] = typeof part === 'string' ? part.split(';') : [part];
    if (first !== undefined) pairs.at(-1)?.push(first);
    for (const next of rest) pairs.push([next]);
  }
  const encode = (text: string, { name }: Placeholder): string => {
    if (COOKIE_VALUE.test(text)) return text;
    const message = 'contains a blank, a quote, a comma, a semicolon, a backslash or a letter beyond ASCII';
    throw refuseArgument(name, place, message);
  };
  return (args) => {
    const filled = pairs.map((pair) => fillTemplate(pair, args, { place, encode })?.trim());
    const sent = filled.filter((pair) => pair !== undefined && pair !== '');
    return sent.length === 0 ? undefined : sent.join('; ');
  };
}

function checkValue(text: string, { name }: Placeholder, place: string): string {
  if (!UNSENDABLE.test(text)) return text;
  const reason = /[\0\r\n]/.test(text)
    ? 'contains a line break or NUL'
    : 'contains a control character or one outside latin-1';
  throw refuseArgument(name, place, reason);
}

function readMediaType(parts: readonly TemplatePart[]): string | undefined {
  const [first] = parts;
  const type = typeof first === 'string' ? first.split(';', 1)[0]?.trim().toLowerCase() : undefined;
  return type?.includes('/') === true ? type : undefined;
}
