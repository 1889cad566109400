import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';

interface SitemapPages {
  readonly urls: readonly string[];
  /** Sitemaps that could not be read. */
  readonly problems: readonly string[];
}

interface SitemapReading {
  readonly fetch: (url: URL) => Promise<Uint8Array>;
  /** Returns true if a page belongs to the source. */
  readonly isSelected: (url: URL) => boolean;
  /** The most pages: sitemaps can name gigabytes of addresses. */
  readonly limit: number;
}

const MAX_SITEMAPS = 100;

/** Reads a sitemap and all that it names on the same origin. Throws if the first has no pages or cannot be read. */
export async function readAllSitemaps(start: URL, { fetch, isSelected, limit }: SitemapReading): Promise<SitemapPages> {
  const waiting = [start];
  const seen = new Set([start.href]);
  const urls = new Set<string>();
  const problems: string[] = [];
  let hasPages = false;
  for (let url = waiting.shift(); url !== undefined && urls.size < limit; url = waiting.shift()) {
    try {
      const sitemap = await readSitemap(await fetch(url));
      if (sitemap === undefined) throw new Error('is not a sitemap');
      for (const address of sitemap.urls) {
        const target = URL.parse(address, url.href);
        if (target === null) continue;
        target.hash = '';
        if (sitemap.type === 'pages') {
          hasPages = true;
          if (urls.size < limit && isSelected(target)) urls.add(target.href);
        } else if (target.origin === start.origin && !seen.has(target.href) && seen.size < MAX_SITEMAPS) {
          seen.add(target.href);
          waiting.push(target);
        }
      }
    } catch (error) {
      const message = `${url.href}: ${messageOf(error)}`.replace(/\.?$/, '.');
      if (url === start) throw new ToolError({ code: 'upstream_unavailable', message, cause: error });
      problems.push(`The sitemap ${message} Its pages stay unchanged.`);
    }
  }
  // A server in trouble may answer with an empty one.
  if (!hasPages && problems.length === 0)
    throw new ToolError({ code: 'upstream_unavailable', message: `The sitemap ${start.href} names no pages.` });
  return { urls: [...urls], problems };
}

/** The addresses in a sitemap: of pages, or of further sitemaps. */
interface Sitemap {
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
async function readSitemap(bytes: Uint8Array): Promise<Sitemap | undefined> {
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
    // Invalid, or crafted to fill the memory.
    return undefined;
  }
}
