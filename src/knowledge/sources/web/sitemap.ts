import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The addresses in a sitemap: of pages, or of further sitemaps. */
export interface Sitemap {
  readonly type: 'pages' | 'sitemaps';
  readonly urls: readonly string[];
}

/** Bytes of a sitemap at most, as its protocol has it. */
export const MAX_SITEMAP_BYTES = 50_000_000;
const MAX_URLS = 50_000;
const ROOT = /<(?:\w{1,20}:)?(urlset|sitemapindex)[\s>]/;
const PLACE = /<(?:\w{1,20}:)?loc>\s*(?:<!\[CDATA\[)?\s*([^<\]]{1,4000}?)\s*(?:\]\]>)?\s*<\//g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads a sitemap, also a compressed one; `undefined` when it is none. */
export async function readSitemap(bytes: Uint8Array): Promise<Sitemap | undefined> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isCompressed ? await unpack(bytes) : bytes;
  if (plain === undefined) return undefined;
  const text = new TextDecoder().decode(plain);
  const root = ROOT.exec(text.slice(0, 10_000))?.[1];
  if (root === undefined) return undefined;
  const urls: string[] = [];
  for (const [, place = ''] of text.matchAll(PLACE)) {
    if (urls.length >= MAX_URLS) break;
    // Pictures and videos have places, too, in elements with other names.
    urls.push(place.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? ''));
  }
  return { type: root === 'urlset' ? 'pages' : 'sitemaps', urls };
}

async function unpack(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_SITEMAP_BYTES });
  } catch {
    // Broken, or made to fill the memory.
    return undefined;
  }
}
