import { ToolError } from '../../../tool/tool-error.ts';
import { compileExclude } from '../../documents/find/search-roots.ts';
import { readAhead } from '../../indexing/read-ahead.ts';
import { isOf, type SourceEnd, type SourceItem, type SourceReading, type WebSource } from '../source.ts';
import { isSamePage, PageReader, type Visit, type WebResources } from './page-reader.ts';
import { readAllSitemaps } from './read-all-sitemaps.ts';

/** Consecutive failures after which a host is skipped. */
const MAX_FAILURES = 5;
const MAX_URL = 2_000;
const MAX_SEGMENTS = 30;

/** An address to visit, and its distance in links from the start. */
interface Step {
  readonly url: URL;
  readonly depth: number;
}

/** Reads a site from its start, link by link, or by its sitemap. */
export function readSite(
  plan: WebSource,
  resources: WebResources,
  reading: SourceReading,
): AsyncGenerator<SourceItem, SourceEnd> {
  return new Crawl(plan, resources, reading).read();
}

class Crawl {
  readonly #plan: WebSource;
  readonly #pages: PageReader;
  readonly #reading: SourceReading;
  readonly #isExcluded: (path: string) => boolean;
  readonly #seen = new Set<string>();
  readonly #notes: string[] = [];
  #isComplete = true;
  #failuresInRow = 0;
  #bytes = 0;

  constructor(plan: WebSource, resources: WebResources, reading: SourceReading) {
    this.#plan = plan;
    this.#reading = reading;
    this.#pages = new PageReader(plan, resources, reading);
    this.#isExcluded = plan.exclude.length === 0 ? () => false : compileExclude(plan.exclude, '/');
  }

  async *read(): AsyncGenerator<SourceItem, SourceEnd> {
    let wave = await this.#begin();
    while (wave.length > 0) {
      const next: Step[] = [];
      for await (const { step, visit } of this.#visitAll(wave)) {
        this.#reading.signal?.throwIfAborted();
        yield* this.#take(step, visit, next);
      }
      wave = next;
    }
    // An unreadable page may have linked to others, so known pages are checked directly.
    for await (const { step, visit } of this.#visitAll(this.#rest())) yield* this.#take(step, visit, []);
    return { isComplete: this.#isComplete, notes: this.#notes };
  }

  /** Returns the first addresses: the start, or the pages of the sitemap. */
  async #begin(): Promise<Step[]> {
    const start = new URL(this.#plan.url);
    if (!this.#plan.isSitemap) return this.#admit([start.href], 0);
    const { urls, problems } = await readAllSitemaps(start, {
      fetch: (url) => this.#pages.fetchSitemap(url),
      isSelected: (url) => this.#isSelected(url),
      // One more than needed, to detect that there are more.
      limit: this.#plan.maxPages + 1,
    });
    if (problems.length > 0) this.#isComplete = false;
    this.#notes.push(...problems);
    return this.#admit(urls, 0);
  }

  /** Returns known pages without links to them, if some pages could not be read. */
  #rest(): Step[] {
    if (this.#isComplete) return [];
    const ids = [...this.#reading.known.keys()].filter((id) => isOf(this.#plan.scope, id));
    return this.#admit(ids, this.#plan.depth);
  }

  /** Returns the addresses that belong to the source and were not visited, up to the limit. */
  #admit(urls: readonly string[], depth: number): Step[] {
    return urls.flatMap((address) => {
      const url = URL.parse(address);
      if (url === null || this.#seen.has(url.href) || !this.#isSelected(url)) return [];
      if (this.#seen.size >= this.#plan.maxPages) {
        this.#giveUp(`Only ${this.#plan.maxPages} pages of ${this.#plan.name} were read. Raise max_pages for more.`);
        return [];
      }
      this.#seen.add(url.href);
      return [{ url, depth }];
    });
  }

  #isSelected({ href, pathname }: URL): boolean {
    if (!isOf(this.#plan.scope, href) || href.length > MAX_URL) return false;
    const segments = pathname.split('/');
    return segments.length <= MAX_SEGMENTS && !isLoop(segments) && !this.#isExcluded(pathname);
  }

  #visitAll(steps: readonly Step[]): AsyncGenerator<{ readonly step: Step; readonly visit: Visit }> {
    return readAhead(steps, async (step) => ({ step, visit: await this.#visit(step) }));
  }

  async #visit({ url }: Step): Promise<Visit> {
    if (this.#failuresInRow >= MAX_FAILURES || this.#bytes > this.#plan.maxBytes) return { type: 'unvisited' };
    const visit = await this.#visitStart(url);
    this.#failuresInRow = visit.type === 'failed' ? this.#failuresInRow + 1 : 0;
    if (visit.type === 'page') this.#bytes += visit.bytes.length;
    return visit;
  }

  /** Visits a page. The start may be spelled differently from the server, for example without its last slash. */
  async #visitStart(url: URL): Promise<Visit> {
    const visit = await this.#pages.visit(url);
    const isOther = visit.type !== 'moved' || url.href !== this.#plan.url || isOf(this.#plan.scope, visit.to);
    if (isOther || !isSamePage(new URL(visit.to), url)) return visit;
    const page = await this.#pages.visit(new URL(visit.to));
    return 'id' in page ? { ...page, id: url.href } : page;
  }

  *#take({ url, depth }: Step, visit: Visit, next: Step[]): Generator<SourceItem> {
    const isStart = url.href === this.#plan.url;
    if (isStart) this.#checkStart(visit);
    switch (visit.type) {
      case 'page':
      case 'unchanged': {
        const { id, links } = visit;
        if (isStart && this.#plan.depth > 0 && links.length === 0)
          this.#giveUp(`${id} has no links to pages below it. To read the pages beside it, name the folder above.`);
        this.#seen.add(id);
        if (visit.type === 'page')
          yield { type: 'loaded', id, path: visit.path, bytes: visit.bytes, stamp: visit.stamp };
        else yield { type: 'unchanged', id };
        // Links with "?" lead to calendars, searches and baskets: endless, and not documents.
        if (depth < this.#plan.depth)
          next.push(
            ...this.#admit(
              links.filter((link) => !link.includes('?')),
              depth + 1,
            ),
          );
        return;
      }
      case 'moved': {
        const isInside = isOf(this.#plan.scope, visit.to);
        next.push(...this.#admit([visit.to], depth));
        // A temporary redirect, or one to a place such as a login, does not mean that the page is gone.
        const isUnknown = !visit.isPermanent || !isInside;
        if (isUnknown) this.#giveUp(undefined);
        if (!isInside) yield skip(url, `leads to ${toOrigin(visit.to)}, which is not part of the source`, true);
        else if (isUnknown) yield skip(url, 'redirects elsewhere for now', true);
        else if (this.#reading.known.has(url.href)) yield skip(url, `moved to ${visit.to}`, false);
        return;
      }
      case 'unvisited':
        this.#giveUp(
          this.#bytes > this.#plan.maxBytes
            ? `${this.#plan.name} has more than ${this.#plan.maxBytes} bytes. Raise max_bytes, or exclude more.`
            : `${this.#plan.name} failed ${MAX_FAILURES} times in a row: its other pages were not read and stay unchanged.`,
        );
        return;
      case 'failed':
        this.#giveUp(undefined);
        yield skip(url, visit.reason, true);
        return;
      default:
        yield skip(url, visit.reason, false);
    }
  }

  /** Throws if the start cannot be read: then the whole source failed. */
  #checkStart(visit: Visit): void {
    const reason =
      visit.type === 'failed' || visit.type === 'gone' || visit.type === 'skipped'
        ? visit.reason
        : visit.type === 'moved' && !isOf(this.#plan.scope, visit.to)
          ? `leads to ${visit.to}. Use that address if it is correct`
          : undefined;
    if (reason !== undefined) throw new ToolError({ code: 'upstream_unavailable', message: `It ${reason}.` });
  }

  /** Marks the source as incomplete, so that unseen documents stay. */
  #giveUp(note: string | undefined): void {
    this.#isComplete = false;
    if (note !== undefined && !this.#notes.includes(note)) this.#notes.push(note);
  }
}

function skip({ href }: URL, reason: string, isUnknown: boolean): SourceItem {
  return { type: 'skipped', id: href, reason, isUnknown };
}

function toOrigin(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'another place' : url.origin + url.pathname;
}

/** Detects a path that repeats itself, as relative links of a broken site do: /a/b/a/b/a/b. */
function isLoop(segments: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (segment !== '' && count >= 4) return true;
    counts.set(segment, count);
  }
  return false;
}
