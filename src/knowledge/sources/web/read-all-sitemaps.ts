import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { readSitemap } from './sitemap.ts';

/** The pages of a sitemap and of all sitemaps it names. */
interface SitemapPages {
  readonly urls: readonly string[];
  /** Sitemaps that could not be read. */
  readonly problems: readonly string[];
}

interface SitemapReading {
  readonly fetch: (url: URL) => Promise<Uint8Array>;
  /** Returns true if a page belongs to the source. */
  readonly isMeant: (url: URL) => boolean;
  /** The most pages: sitemaps can name gigabytes of addresses. */
  readonly limit: number;
}

const MAX_SITEMAPS = 100;

/** Reads a sitemap and all that it names on the same origin. Throws if the first has no pages or cannot be read. */
export async function readAllSitemaps(start: URL, { fetch, isMeant, limit }: SitemapReading): Promise<SitemapPages> {
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
          if (urls.size < limit && isMeant(target)) urls.add(target.href);
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
