import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The addresses in a sitemap: of pages, or of further sitemaps. */
export interface Sitemap {
  readonly type: 'pages' | 'sitemaps';
  readonly urls: readonly string[];
}

/** The size limit of a sitemap in its protocol. */
export const MAX_SITEMAP_BYTES = 50_000_000;
const MAX_URLS = 50_000;
const ROOT = /<(\w{1,20}:)?(urlset|sitemapindex)[\s>]/;
const LONGEST_URL = 4_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads a sitemap, compressed or not. Returns `undefined` if it is not one. */
export async function readSitemap(bytes: Uint8Array): Promise<Sitemap | undefined> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isCompressed ? await unpack(bytes) : bytes;
  if (plain === undefined) return undefined;
  const text = new TextDecoder().decode(plain);
  const [, prefix = '', root] = ROOT.exec(text.slice(0, 10_000)) ?? [];
  if (root === undefined) return undefined;
  const urls: string[] = [];
  // Images and videos have locations too, in elements with another prefix.
  for (const part of text.split(`<${prefix}loc>`, MAX_URLS + 1).slice(1)) urls.push(...readPlace(part));
  return { type: root === 'urlset' ? 'pages' : 'sitemaps', urls };
}

/** Returns the address at the start of a part of a sitemap. */
function readPlace(part: string): string[] {
  const start = part.slice(0, LONGEST_URL);
  const end = start.indexOf('</');
  const written = start.slice(0, Math.max(0, end)).trim();
  const data = written.startsWith('<![CDATA[') ? written.slice(9).split(']]>', 1)[0]?.trim() : undefined;
  const url = data ?? written.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
  return url === '' ? [] : [url];
}

async function unpack(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_SITEMAP_BYTES });
  } catch {
    // Broken, or made to fill the memory.
    return undefined;
  }
}
