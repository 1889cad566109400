import { createHash } from 'node:crypto';
import type { HttpClient } from '../../../platform/http/http-client.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { decodeText } from '../../documents/decode-text.ts';
import { isOf, type SourceReading, type SourceResources, type WebSource } from '../source.ts';
import { type FetchedUrl, fetchUrl, type HostGate } from './fetch-url.ts';
import { MAX_SITEMAP_BYTES } from './read-all-sitemaps.ts';
import { isHtml, MAX_HTML, mimeOf, nameOfPage, readLinks, toUtf8 } from './read-page.ts';
import { NO_RULES, parseRobots, type Robots } from './robots.ts';

export interface WebResources extends Pick<SourceResources, 'records'> {
  readonly client: HttpClient;
  readonly gate: HostGate;
  /** The rules of each host, fetched once in a run. */
  readonly robots: Map<string, Promise<Robots>>;
}

export type Visit =
  | {
      readonly type: 'page';
      readonly id: string;
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly stamp: string | undefined;
      readonly links: readonly string[];
    }
  | { readonly type: 'unchanged'; readonly id: string; readonly links: readonly string[] }
  | { readonly type: 'moved'; readonly to: string; readonly isPermanent: boolean }
  | { readonly type: 'gone' | 'skipped' | 'failed'; readonly reason: string }
  /** The address was not visited. */
  | { readonly type: 'unvisited' };

/** The state of a page between runs, so that it is fetched only if it changed. */
interface PageRecord {
  readonly id: string;
  readonly etag: string;
  readonly modified: string;
  readonly links: readonly string[];
}

/** The limit for files: larger ones were not written by people. */
const MAX_PAGE_BYTES = 20_000_000;
const MAX_ROBOTS_BYTES = 512_000;
/** Pages that no source has are forgotten after this time. */
const REMEMBERED = 90 * 24 * 3_600_000;
const MOVED = new Set([301, 302, 303, 307, 308]);

/** Reads the pages of one source, as its host allows. */
export class PageReader {
  readonly #plan: WebSource;
  readonly #resources: WebResources;
  readonly #reading: SourceReading;

  constructor(plan: WebSource, resources: WebResources, reading: SourceReading) {
    this.#plan = plan;
    this.#resources = resources;
    this.#reading = reading;
  }

  /** Reads a page. Never throws because of the server. */
  async visit(url: URL): Promise<Visit> {
    try {
      if (!(await this.#isAllowed(url))) return { type: 'skipped', reason: 'is forbidden by robots.txt' };
      const record = await this.#recordOf(url);
      const answer = await this.#fetch(url, MAX_PAGE_BYTES, {
        ...(record?.etag ? { 'if-none-match': record.etag } : {}),
        ...(record?.modified ? { 'if-modified-since': record.modified } : {}),
      });
      if (answer.status === 304 && record !== undefined)
        return { type: 'unchanged', id: record.id, links: record.links };
      return await this.#read(url, answer);
    } catch (error) {
      if (error instanceof ToolError && error.code === 'output_too_large')
        return { type: 'skipped', reason: error.message };
      return { type: 'failed', reason: `cannot be read: ${messageOf(error).replace(/\.$/, '')}` };
    }
  }

  /** Returns the bytes of a sitemap. Throws if there are none. */
  async fetchSitemap(url: URL): Promise<Uint8Array> {
    if (!(await this.#isAllowed(url))) throw new Error('is forbidden by robots.txt');
    const { status, bytes } = await this.#fetch(url, MAX_SITEMAP_BYTES);
    if (status !== 200) throw new Error(`answered ${status}`);
    return bytes;
  }

  async #read(url: URL, answer: FetchedUrl): Promise<Visit> {
    const { status, header } = answer;
    const to = MOVED.has(status) ? URL.parse(header('location'), url.href) : null;
    if (to !== null) {
      to.hash = '';
      return { type: 'moved', to: to.href, isPermanent: status === 301 || status === 308 };
    }
    if (status === 404 || status === 410) {
      await this.#resources.records.delete(this.#keyOf(url));
      return { type: 'gone', reason: `answered ${status}` };
    }
    if (status === 401 || status === 403)
      return { type: 'failed', reason: `answered ${status}: set headers of the source, if it needs some` };
    if (status !== 200) return { type: 'failed', reason: `answered ${status}` };
    const type = header('content-type');
    const path = nameOfPage(url, type);
    if (path === undefined) return { type: 'skipped', reason: `is ${mimeOf(type).slice(0, 60)}, no text` };
    const bytes = toUtf8(answer.bytes, type);
    const { links, canonical } = isHtml(path) ? this.#links(bytes, url) : { links: [], canonical: undefined };
    const id = canonical ?? url.href;
    const record = { id, etag: header('etag').slice(0, 500), modified: header('last-modified').slice(0, 100), links };
    await this.#resources.records.set(this.#keyOf(url), record, { ttl: REMEMBERED });
    return { type: 'page', id, path, bytes, stamp: this.#stampOf(record), links };
  }

  #links(bytes: Uint8Array, url: URL): { readonly links: readonly string[]; readonly canonical: string | undefined } {
    const decoded = decodeText(bytes.subarray(0, MAX_HTML));
    if (!decoded.ok) return { links: [], canonical: undefined };
    const { links, canonical } = readLinks(decoded.text, url);
    const { scope } = this.#plan;
    const isUsable = canonical !== undefined && isOf(scope, canonical) && isSamePage(new URL(canonical), url);
    return { links: links.filter((link) => isOf(scope, link)), canonical: isUsable ? canonical : undefined };
  }

  /** Returns the record of a page whose stored document is unchanged. */
  async #recordOf(url: URL): Promise<PageRecord | undefined> {
    const record = parseRecord(await this.#resources.records.get(this.#keyOf(url)));
    const stamp = record && this.#stampOf(record);
    return stamp !== undefined && this.#reading.known.get(record?.id ?? '')?.stamp === stamp ? record : undefined;
  }

  #stampOf({ etag, modified }: PageRecord): string | undefined {
    if (etag === '' && modified === '') return undefined;
    const hash = createHash('sha256').update(JSON.stringify([etag, modified, ...this.#reading.settings]));
    return `web:${hash.digest('base64url').slice(0, 24)}`;
  }

  /** Records are separate for each source, because links and answers depend on its scope and headers. */
  #keyOf(url: URL): string {
    const { headers, scope } = this.#plan;
    const mark = createHash('sha256')
      .update(JSON.stringify([headers, scope]))
      .digest('base64url')
      .slice(0, 16);
    return `${url.href} ${mark}`;
  }

  async #isAllowed(url: URL): Promise<boolean> {
    return (await this.#robots(url)).isAllowed(url.pathname + url.search);
  }

  #robots({ origin }: URL): Promise<Robots> {
    const { robots } = this.#resources;
    const { headers, allowHosts } = this.#plan;
    const key = JSON.stringify([origin, headers, allowHosts]);
    let rules = robots.get(key);
    if (rules === undefined) robots.set(key, (rules = this.#fetchRobots(origin)));
    return rules;
  }

  async #fetchRobots(origin: string): Promise<Robots> {
    const url = new URL('/robots.txt', origin);
    const { client, gate } = this.#resources;
    const { signal } = this.#reading;
    const options = { client, headers: this.#plan.headers, maxBytes: MAX_ROBOTS_BYTES, signal };
    const { status, bytes } = await gate.run(origin, { delay: 0, signal }, () => fetchUrl(url, options));
    if (status === 200) return parseRobots(bytes.toString());
    // Missing or private rules forbid nothing; a server in trouble might have some.
    if (status < 500 && status !== 429) return NO_RULES;
    throw new Error(`${url.href} answered ${status}, so its rules are unknown`);
  }

  async #fetch(url: URL, maxBytes: number, more: Readonly<Record<string, string>> = {}): Promise<FetchedUrl> {
    const { delay } = await this.#robots(url);
    const { client, gate } = this.#resources;
    const { signal } = this.#reading;
    const options = { client, headers: { ...more, ...this.#plan.headers }, maxBytes, signal };
    return gate.run(url.origin, { delay, signal }, () => fetchUrl(url, options));
  }
}

/**
 * Returns true if two addresses are spellings of one page. Other canonical addresses are often mistakes, such as the
 * first page for all.
 */
export function isSamePage(a: URL, b: URL): boolean {
  const plain = ({ origin, pathname }: URL): string =>
    origin +
    pathname
      .replace(/\/(?:index\.\w{2,5})?$/, '')
      .replace(/\.html?$/, '')
      .toLowerCase();
  return plain(a) === plain(b);
}

function parseRecord(value: unknown): PageRecord | undefined {
  if (!isPlainObject(value)) return undefined;
  const { id, etag, modified, links } = value;
  if (typeof id !== 'string' || typeof etag !== 'string' || typeof modified !== 'string') return undefined;
  return { id, etag, modified, links: Array.isArray(links) ? links.map(String) : [] };
}
