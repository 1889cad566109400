import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';

/** Extensions by content type. */
const EXTENSIONS: Readonly<Record<string, string | undefined>> = {
  'text/html': '.html',
  'application/xhtml+xml': '.html',
  'text/markdown': '.md',
  'text/x-markdown': '.md',
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
  'application/pdf': '.pdf',
  'application/epub+zip': '.epub',
  'message/rfc822': '.eml',
  'application/x-ipynb+json': '.ipynb',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
  'application/vnd.oasis.opendocument.text': '.odt',
  'application/vnd.oasis.opendocument.spreadsheet': '.ods',
  'application/vnd.oasis.opendocument.presentation': '.odp',
};
/** Content types of servers that do not know the format; the file name says more. */
const VAGUE = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'text/plain']);
const TEXT = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|x-sh)$/;

/** Returns a name whose extension is the format of a page, or `undefined` for images and other content without words. */
export function nameOfPage(url: URL, contentType: string): string | undefined {
  const type = mimeOf(contentType);
  const own = extname(url.pathname);
  const extension = EXTENSIONS[type];
  if (extension !== undefined) return `page${extension}`;
  if (VAGUE.has(type)) return `page${own === '' ? '.txt' : own}`;
  return TEXT.test(type) ? `page${own === '' || own === '.html' ? '.txt' : own}` : undefined;
}

export function isHtml(name: string): boolean {
  return name.endsWith('.html');
}

/** Returns a content type without its parameters. */
export function mimeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Converts a text to UTF-8 if the server names another encoding and the bytes do not contradict it. */
export function toUtf8(bytes: Uint8Array, contentType: string): Uint8Array {
  const charset = /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  // Servers often name the wrong one; bytes that are valid UTF-8 are UTF-8, except in encodings of plain ASCII.
  if (charset === 'utf-8' || charset === 'utf8' || (isUtf8(bytes) && !/^(?:iso-2022|utf-16|hz)/.test(charset)))
    return bytes;
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    return bytes;
  }
}

interface PageLinks {
  readonly links: readonly string[];
  readonly canonical: string | undefined;
}

/** Bytes of a page that are searched for links. */
export const MAX_HTML = 5_000_000;
const MAX_LINKS = 2_000;
const TAG = /<(a|area|base|link)\s([^<>]{1,4000})>/gi;
const HREF = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const REL = /(?:^|\s)rel\s*=\s*["']?([^"'>]*)/i;

/** Reads the links of a page as absolute addresses without fragments. */
export function readLinks(html: string, url: URL): PageLinks {
  const text = html.replaceAll(/<!--[\s\S]*?(?:-->|$)|<script[\s>][\s\S]*?(?:<\/script|$)/gi, '');
  const links = new Set<string>();
  let base = url;
  let canonical: string | undefined;
  for (const [, tag = '', attributes = ''] of text.matchAll(TAG)) {
    const found = HREF.exec(attributes);
    const href = (found?.[1] ?? found?.[2] ?? found?.[3])?.trim().replaceAll('&amp;', '&');
    if (href === undefined || href.startsWith('#')) continue;
    const target = URL.parse(href, base.href);
    if (target === null || !/^https?:$/.test(target.protocol)) continue;
    const name = tag.toLowerCase();
    if (name === 'base') base = target;
    else if (name !== 'link') links.add(withoutFragment(target));
    else if (REL.exec(attributes)?.[1]?.trim().toLowerCase() === 'canonical') canonical ??= withoutFragment(target);
    if (links.size >= MAX_LINKS) break;
  }
  return { links: [...links], canonical };
}

function withoutFragment(url: URL): string {
  url.hash = '';
  return url.href;
}
