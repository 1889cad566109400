import type { FeatureHost } from '../../load/features/feature.ts';
import type { Completion, OfferedItem, OfferRequest, OfferResult } from '../../tool/offers.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import { PAGE_TYPE } from '../../tool/app-pages.ts';
import { fillText, fillValue } from './fill-text.ts';
import { typeOfFile } from '../../platform/file-type.ts';
import { findOfferFiles, offerPath, readContent, watchOfferFile } from './offer-file.ts';

/** A resource as written in a file. */
export type WrittenResource = SectionValue<'resources'>[number];

/** A resource, or a template for several, of the board itself. */
export interface OwnResource {
  readonly written: WrittenResource;
  /** The base folder of its files. */
  readonly folder: string;
  readonly source: string;
}

/** Calls a tool of the board. */
export type CallTool = FeatureHost['call'];

/** Returns the MCP listings of an entry: one resource, or one for each file. */
export function listResources(own: OwnResource): OfferedItem[] {
  const { written, source } = own;
  const { uri, file, files } = written;
  if (files !== undefined) {
    return filesOf(own).map(({ address, path }) => ({
      id: address,
      source,
      listing: { ...wordsOf(written, path), uri: address, name: path, mimeType: typeOf(written, address, path) },
    }));
  }
  if (uri === undefined) return [];
  return [{ id: uri, source, listing: { uri, ...wordsOf(written, uri), mimeType: typeOf(written, uri, file) } }];
}

/** Returns the MCP listing of a resource template. */
export function listTemplate({ written, source }: OwnResource): OfferedItem[] {
  const { template, mimeType } = written;
  if (template === undefined) return [];
  const listing = {
    uriTemplate: template,
    ...wordsOf(written, template),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  return [{ id: template, source, listing }];
}

/** Reads the resource with a URI; `undefined` for a URI that does not belong to the entry. */
export async function readResource(
  own: OwnResource,
  uri: string,
  { request, call }: { readonly request: OfferRequest; readonly call: CallTool },
): Promise<OfferResult | undefined> {
  const { written, folder } = own;
  if (written.files !== undefined) {
    const found = filesOf(own).find(({ address }) => address === uri);
    if (found === undefined) return undefined;
    const content = readContent(offerPath(found.path, folder), uri, typeOf(written, uri, found.path));
    return { contents: [{ ...content, ...metaOf(written) }] };
  }
  const values =
    written.uri === uri ? {} : written.template === undefined ? undefined : matchTemplate(written.template, uri);
  if (values === undefined) return undefined;
  if (written.file !== undefined) {
    const content = readContent(offerPath(written.file, folder), uri, typeOf(written, uri, written.file));
    return { contents: [{ ...content, ...metaOf(written) }] };
  }
  if (written.tool !== undefined) return readFromTool(written, uri, { values, request, call });
  const content = { uri, mimeType: typeOf(written, uri, undefined), text: fillText(written.text ?? '', values) };
  return { contents: [{ ...content, ...metaOf(written) }] };
}

/** Returns the completions of a part of a template. */
export function completeTemplate({ written }: OwnResource, argument: { name: string; value: string }): Completion {
  const { values = {} } = written;
  const known = Object.hasOwn(values, argument.name) ? (values[argument.name] ?? []) : [];
  const start = argument.value.toLowerCase();
  return { values: known.filter((value) => value.toLowerCase().startsWith(start)) };
}

/** Calls `listener` when the file of a URI changes; returns `undefined` if the URI does not belong to the entry. */
export function followResource(own: OwnResource, uri: string, listener: () => void): (() => void) | undefined {
  const { written, folder } = own;
  const path = written.files === undefined ? undefined : filesOf(own).find(({ address }) => address === uri)?.path;
  const file = path ?? (written.uri === uri ? written.file : undefined);
  if (file !== undefined) return watchOfferFile(offerPath(file, folder), listener);
  return written.uri === uri ? () => {} : undefined;
}

/** Returns the parts of a URI that a template names; `undefined` if it does not match. A part never contains `/`, except for `{+name}`. */
function matchTemplate(template: string, uri: string): Readonly<Record<string, string>> | undefined {
  const names: string[] = [];
  const source = template
    .split(/(\{\+?[A-Za-z_]\w*\})/)
    .map((part) => {
      const [, plus, name] = /^\{(\+?)([A-Za-z_]\w*)\}$/.exec(part) ?? [];
      if (name === undefined) return part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
      names.push(name);
      return plus === '+' ? '(.+)' : '([^/]+)';
    })
    .join('');
  const [, ...found] = new RegExp(`^${source}$`).exec(uri) ?? [undefined];
  if (found.length !== names.length || (names.length === 0 && uri !== template)) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, decode(found[index] ?? '')]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the result of a tool as content: its blocks, or its text. The guards of the tool also guard the resource. */
async function readFromTool(
  { tool = '', args = {}, mimeType }: WrittenResource,
  uri: string,
  {
    values,
    request,
    call,
  }: { readonly values: Readonly<Record<string, string>>; readonly request: OfferRequest; readonly call: CallTool },
): Promise<OfferResult> {
  const { context } = request;
  const result = await call(tool, fillValue(args, values), { context, signal: context.signal, coerce: true });
  if (!result.ok) {
    const message = `The resource "${uri}" cannot be read: ${result.error.message}`;
    throw new ToolError({ code: result.error.code, message, cause: result.error });
  }
  const image = result.content?.find((block) => block.type === 'image' || block.type === 'audio');
  if (image !== undefined) return { contents: [{ uri, mimeType: mimeType ?? image.mimeType, blob: image.data }] };
  const isJson = result.data !== undefined && typeof result.data !== 'string';
  return { contents: [{ uri, mimeType: mimeType ?? (isJson ? 'application/json' : 'text/plain'), text: result.text }] };
}

function filesOf({ written, folder }: OwnResource): { readonly address: string; readonly path: string }[] {
  const { uri = '{path}', files = '' } = written;
  return findOfferFiles(files, folder).map((path) => ({
    path,
    address: uri.replace('{path}', path.split('/').map(encodeURIComponent).join('/')),
  }));
}

/** Returns the media type for clients: that of a page if the URI says so, otherwise by the file extension. */
function typeOf({ mimeType }: WrittenResource, uri: string, file: string | undefined): string {
  if (mimeType !== undefined) return mimeType;
  const type = file === undefined ? 'text/plain' : typeOfFile(file);
  return /^ui:/i.test(uri) && (file === undefined || type === 'text/html') ? PAGE_TYPE : type;
}

function metaOf({ _meta }: WrittenResource): { readonly _meta?: Readonly<Record<string, unknown>> } {
  return _meta === undefined ? {} : { _meta };
}

function wordsOf(written: WrittenResource, fallback: string): Record<string, unknown> {
  const { name, title, description, icon } = written;
  return {
    ...metaOf(written),
    name: name ?? fallback,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icon === undefined ? {} : { icons: [{ src: icon }] }),
  };
}
