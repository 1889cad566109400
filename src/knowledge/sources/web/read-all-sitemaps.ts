import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { readSitemap } from './sitemap.ts';

/** The pages of a sitemap and of those that it names. */
interface SitemapPages {
  readonly urls: readonly string[];
  /** Sitemaps that could not be read. */
  readonly problems: readonly string[];
}

const MAX_SITEMAPS = 100;
const MAX_PAGES = 200_000;

/** Reads a sitemap with all that it names on the same origin. Throws when the first has no pages, or cannot be read. */
export async function readAllSitemaps(start: URL, fetch: (url: URL) => Promise<Uint8Array>): Promise<SitemapPages> {
  const waiting = [start];
  const seen = new Set([start.href]);
  const urls = new Set<string>();
  const problems: string[] = [];
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    try {
      const sitemap = await readSitemap(await fetch(url));
      if (sitemap === undefined) throw new Error('is no sitemap');
      for (const address of sitemap.urls) {
        const target = URL.parse(address, url.href);
        if (target === null) continue;
        target.hash = '';
        if (sitemap.type === 'pages') {
          if (urls.size < MAX_PAGES) urls.add(target.href);
        } else if (target.origin === start.origin && !seen.has(target.href) && seen.size < MAX_SITEMAPS) {
          seen.add(target.href);
          waiting.push(target);
        }
      }
    } catch (error) {
      const message = `${url.href}: ${messageOf(error)}`.replace(/\.?$/, '.');
      if (url === start) throw new ToolError({ code: 'upstream_unavailable', message, cause: error });
      problems.push(`The sitemap ${message} Its pages stay as they were.`);
    }
  }
  // A server in trouble may answer with an empty one.
  if (urls.size === 0 && problems.length === 0)
    throw new ToolError({ code: 'upstream_unavailable', message: `The sitemap ${start.href} names no pages.` });
  return { urls: [...urls], problems };
}
