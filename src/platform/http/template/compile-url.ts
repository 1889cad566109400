import {
  type CompileContext,
  createPartReader,
  MARK,
  markPlaceholders,
  type Placeholder,
  type Template,
  type TemplatePart,
} from './template.ts';
import { type Entry, toTextEntries } from './compile-entries.ts';
import {
  encodeLiteral,
  fillTemplate,
  isDotSegment,
  missingArgument,
  percentEncode,
  refuseArgument,
  type TemplateArguments,
} from './fill-template.ts';

export interface CompiledUrl {
  /**
   * Returns scheme, host, port and path for one call. Throws a `ToolError` for a value that would change other parts.
   */
  render(args: TemplateArguments): string;
  readonly query: readonly Entry[];
}

type Render = (args: TemplateArguments) => string;

const SHAPE = /^([^:/?#\\]*):\/\/([^/?#\\]*)([^?#]*)(?:\?([^#]*))?/su;
const HOST_VALUE = /^[A-Za-z0-9.-]+$/;
const PATH = 'the path of the url';
const HOST = 'the host of the url';

/** Compiles a URL template so that a value can fill only a path segment or a query value. */
export function compileUrl(
  template: Template,
  context: CompileContext,
  { allowHost }: { readonly allowHost: boolean },
): CompiledUrl {
  const refuse = (reason: string): CompiledUrl => {
    // The query and the part before an "@" may contain secrets.
    context.report(['url'], `${reason}; got "${template.source.replace(/\?.*$|\/\/[^/]*@/gs, '…')}".`);
    return { render: () => '', query: [] };
  };
  const marked = markPlaceholders(template).trim();
  const [, scheme, authority, path, query = ''] = SHAPE.exec(marked) ?? [];
  if (scheme === undefined || authority === undefined || path === undefined) {
    return marked.startsWith(MARK)
      ? refuse('must begin with a scheme and a host, not with a placeholder')
      : refuse('must be absolute, such as https://api.example.com/items/{{id}}, or stand after a base_url');
  }
  if (authority.includes('@')) return refuse('must not contain credentials: send them in an Authorization header');
  if (path !== '' && !path.startsWith('/')) return refuse('has a "\\" after the host: write "/"');
  const take = createPartReader(template.placeholders);
  const originParts = take(`${scheme}://${authority}`);
  const isFixed = originParts.every((part) => typeof part === 'string');
  if (!isFixed && !allowHost)
    return refuse('has a placeholder in its scheme, host or port: a call could then reach any server');
  const fixed = isFixed ? readOrigin(originParts.join('')) : '';
  if (fixed === undefined) return refuse('must be an http:// or https:// address with a valid host');
  const segments = path.split('/').slice(1).map(take);
  if (segments.some((parts) => isDotSegment(parts.map((part) => (typeof part === 'string' ? part : 'x')).join(''))))
    return refuse('has a "." or ".." segment: write the path it leads to');
  const renderOrigin: Render = isFixed ? () => fixed : (args) => fillOrigin(originParts, args);
  const renderSegments = segments.map(compileSegment);
  return {
    render: (args) => {
      let url = renderOrigin(args);
      for (const render of renderSegments) url += `/${render(args)}`;
      return renderSegments.length === 0 ? `${url}/` : url;
    },
    query: toTextEntries(query, { take, path: ['url'], context }),
  };
}

function compileSegment(parts: readonly TemplatePart[]): Render {
  const encoded = parts.map((part) => (typeof part === 'string' ? encodeLiteral(part) : part));
  const first = parts.find((part) => typeof part !== 'string');
  if (first === undefined) {
    const fixed = encoded.filter((part) => typeof part === 'string').join('');
    return () => fixed;
  }
  const encode = (text: string, placeholder: Placeholder): string => {
    if (text === '' && placeholder.fallback !== '') throw refuseArgument(placeholder.name, PATH, 'is empty');
    return percentEncode(text, placeholder, PATH);
  };
  return (args) => {
    const segment = fillTemplate(encoded, args, { place: PATH, encode, separator: ',' });
    if (segment === undefined) throw missingArgument(first.name, PATH);
    if (segment === '') throw refuseArgument(first.name, PATH, 'is empty');
    if (isDotSegment(segment)) throw refuseArgument(first.name, PATH, 'makes the segment "." or ".."');
    return segment;
  };
}

function fillOrigin(parts: readonly TemplatePart[], args: TemplateArguments): string {
  const first = parts.find((part) => typeof part !== 'string')?.name ?? '';
  const encode = (text: string, { name }: Placeholder): string => {
    if (!HOST_VALUE.test(text)) throw refuseArgument(name, HOST, 'may contain only A-Z a-z 0-9 . -');
    return text;
  };
  const text = fillTemplate(parts, args, { place: HOST, encode });
  if (text === undefined) throw missingArgument(first, HOST);
  const origin = readOrigin(text);
  if (origin === undefined) throw refuseArgument(first, HOST, 'does not make a valid http:// or https:// address');
  return origin;
}

/** Normalizes scheme, host and port with the URL parser. */
function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.origin : undefined;
}
