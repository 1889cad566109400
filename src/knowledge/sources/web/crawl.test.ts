import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LoopbackServer, startServer } from '../../../platform/http/loopback-server.test-helper.ts';
import type { Embedder } from '../../../vectors/embedder.ts';
import type { KnowledgeCollection } from '../../collection/knowledge-collection.ts';
import { openKnowledge } from '../../open-knowledge.ts';
import type { WebSourceSettings } from '../../plan/knowledge-settings.ts';
import type { SourcesReport } from '../index-sources.ts';
import { memoryRecords } from '../source.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

type Site = Record<string, string | Answer>;

const page = (title: string, ...links: string[]): string =>
  `<html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>About ${title}.</p>${links
    .map((link) => `<a href="${link}">more</a>`)
    .join('')}</main></body></html>`;

/** Serves a site whose pages may be replaced; every page has an ETag. */
async function serve(site: Site): Promise<LoopbackServer> {
  return startServer(({ target, headers }, response) => {
    const found = site[target];
    if (found === undefined) return void response.writeHead(404).end('not here');
    const { status = 200, headers: own = {}, body = '' } = typeof found === 'string' ? { body: found } : found;
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
    if (status === 200 && headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(status, { 'content-type': 'text/html', ...(status === 200 ? { etag } : {}), ...own }).end(body);
  });
}

interface Opened {
  readonly docs: KnowledgeCollection;
  readonly index: () => Promise<SourcesReport>;
  readonly ids: () => Promise<string[]>;
}

const records = memoryRecords();

/** Opens a collection with sources on these servers, which it may reach. */
function open(
  { origin, port }: Pick<LoopbackServer, 'origin' | 'port'>,
  sources: readonly (Omit<WebSourceSettings, 'url'> & { readonly at: string })[],
): Opened {
  const settings = sources.map(({ at, ...rest }) => ({
    allow_hosts: [`127.0.0.1:${port}`],
    ...rest,
    url: new URL(at, origin).href,
  }));
  const knowledge = openKnowledge({ collections: { docs: { sources: settings } } });
  onTestFinished(() => knowledge.close());
  const docs = knowledge.collection('docs');
  return {
    docs,
    index: () => docs.indexSources({ records }),
    ids: async () => {
      const { store } = await docs.open();
      return (await store.documents('docs')).map(({ id }) => id.replace(origin, ''));
    },
  };
}

describe('a site', () => {
  it('is read below its first page up to a depth, and later only its changes', async () => {
    const site: Site = {
      '/guide/': page('Guide', 'login', '/guide/cost?sort=up', '/blog/', 'http://other.invalid/', 'paper.pdf', '#top'),
      '/guide/login': page('Login', 'deep/passkey', '/guide/'),
      '/guide/deep/passkey': page('Passkey', '../too/far'),
      '/guide/too/far': page('Far'),
      '/guide/paper.pdf': { headers: { 'content-type': 'image/png' }, body: 'no words' },
      '/blog/': page('Blog'),
    };
    const server = await serve(site);
    const { docs, index, ids } = open(server, [{ at: '/guide/', depth: 2, tags: ['site'] }]);
    expect(await index()).toMatchObject({
      indexed: 3,
      unchanged: 0,
      failures: [],
      skipped: [{ path: `${server.origin}/guide/paper.pdf`, reason: 'is image/png, no text' }],
    });
    expect(await ids()).toEqual(['/guide/', '/guide/deep/passkey', '/guide/login']);
    expect((await docs.search('passkey')).hits[0]).toMatchObject({
      sourcePath: `${server.origin}/guide/deep/passkey`,
      headings: ['Passkey'],
      tags: ['site'],
    });
    expect(server.seen.map(({ target }) => target).toSorted()).toEqual(
      ['/robots.txt', '/guide/', '/guide/login', '/guide/paper.pdf', '/guide/deep/passkey'].toSorted(),
    );
    expect(server.seen.every(({ headers }) => headers['user-agent']?.startsWith('pegboard'))).toBe(true);

    site['/guide/login'] = page('Login with a key', 'deep/passkey');
    expect(await index()).toMatchObject({ indexed: 1, unchanged: 2, removed: 0 });
    expect((await docs.search('login')).hits[0]?.headings).toEqual(['Login with a key']);

    // A removed page, and one without links to it.
    delete site['/guide/login'];
    expect(await index()).toMatchObject({ indexed: 0, unchanged: 1, removed: 2 });
    expect(await ids()).toEqual(['/guide/']);
  });

  it('keeps its documents when its host fails, in every way a host fails', async () => {
    const site: Site = { '/': page('Home', '/a', '/b'), '/a': page('A', '/c'), '/b': page('B'), '/c': page('C') };
    const server = await serve(site);
    const { index, ids } = open(server, [{ at: '/', depth: 2 }]);
    await index();
    const whole = Object.keys(site);
    const busy: Answer = { status: 503, headers: { 'retry-after': '0' } };
    const broken: [Partial<Site>, string | undefined][] = [
      [{ '/a': busy }, undefined],
      [{ '/a': { status: 500 } }, undefined],
      [{ '/a': { status: 403 } }, undefined],
      [{ '/a': { status: 302, headers: { location: '/login' } }, '/login': { status: 401 } }, undefined],
      [{ '/a': { status: 301, headers: { location: 'http://169.254.169.254/latest' } } }, undefined],
      [{ '/': { status: 302, headers: { location: 'https://sso.invalid/' } } }, 'leads to https://sso.invalid/'],
      [{ '/': { status: 404 } }, 'It answered 404.'],
      [{ '/': busy }, 'answered 503'],
      [{ '/': '<p>We are back soon.</p>' }, undefined],
      [{ '/robots.txt': busy }, 'robots.txt answered 503'],
    ];
    for (const [change, failure] of broken) {
      const before = { ...site };
      Object.assign(site, change);
      const report = await index();
      expect({ change, removed: report.removed }).toEqual({ change, removed: 0 });
      if (failure === undefined) expect(report.failures).toEqual([]);
      else expect(report.failures?.[0]?.reason).toContain(failure);
      expect(await ids()).toEqual(whole.toSorted());
      for (const path of Object.keys(change)) delete site[path];
      Object.assign(site, before);
    }
    expect(await index()).toMatchObject({ removed: 0, failures: [] });
  });

  it('deletes removed pages although another page fails permanently', async () => {
    const site: Site = {
      '/': page('Home', '/broken', '/a', '/b'),
      '/broken': page('Broken', '/c', '/d'),
      '/a': page('A'),
      '/b': page('B'),
      '/c': page('C'),
      '/d': page('D'),
    };
    const { index, ids, docs } = open(await serve(site), [{ at: '/', depth: 2 }]);
    await index();
    Object.assign(site, { '/broken': { status: 500 }, '/a': { status: 410 }, '/d': page('Dodo') });
    site['/b'] = { status: 308, headers: { location: '/e' } };
    site['/e'] = page('E');
    delete site['/c'];
    expect(await index()).toMatchObject({ indexed: 2, unchanged: 1, removed: 3, failures: [] });
    expect(await ids()).toEqual(['/', '/broken', '/d', '/e']);
    expect((await docs.search('dodo')).hits).toHaveLength(1);
  });

  it('never reaches private addresses, or sends headers to another origin', async () => {
    const other = await serve({ '/robots.txt': { status: 404 }, '/': page('Stolen') });
    const site: Site = {
      '/': page('Home', '/a', '/b', `${other.origin}/`),
      '/a': { status: 302, headers: { location: `${other.origin}/` } },
      '/b': { status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data' } },
    };
    const server = await serve(site);
    const headers = { Authorization: 'Bearer hunter2', 'User-Agent': 'desk' };
    const allow = [server, other].map(({ port }) => `127.0.0.1:${port}`);
    const allowed = open(server, [{ at: '/', depth: 1, headers, allow_hosts: allow }]);
    const report = await allowed.index();
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      `leads to ${other.origin}/, which is not part of the source`,
      'leads to http://169.254.169.254/latest/meta-data, which is not part of the source',
    ]);
    expect(other.seen).toEqual([]);
    expect(server.seen.map((request) => request.headers.authorization)).toEqual(
      server.seen.map(() => 'Bearer hunter2'),
    );
    expect(JSON.stringify(report)).not.toContain('hunter2');
    expect(server.seen.map((request) => request.headers['user-agent'])).toEqual(server.seen.map(() => 'desk'));

    const refused = await open(server, [{ at: '/', allow_hosts: [] }]).index();
    expect(refused.failures?.[0]?.reason).toContain(`add "127.0.0.1:${server.port}" to allow_hosts of the source.`);
  });

  it('obeys robots.txt', async () => {
    const site: Site = {
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /private\nAllow: /private/open$\nCrawl-delay: 0.01',
      },
      '/': page('Home', '/private/x', '/private/open', '/public'),
      '/private/x': page('X'),
      '/private/open': page('Open'),
      '/public': page('Public'),
    };
    const server = await serve(site);
    const { index, ids } = open(server, [{ at: '/', depth: 1 }]);
    expect((await index()).skipped).toEqual([
      { path: `${server.origin}/private/x`, reason: 'is forbidden by robots.txt' },
    ]);
    expect(await ids()).toEqual(['/', '/private/open', '/public']);
    expect(server.seen.filter(({ target }) => target === '/robots.txt')).toHaveLength(1);
  });

  it('ends on endless calendars, huge pages and bombs, and reports what it skipped', async () => {
    let bombs = 0;
    const bomb = gzipSync(Buffer.alloc(60_000_000));
    const server = await startServer(({ target }, response) => {
      response.setHeader('content-type', 'text/html');
      if (target === '/robots.txt') return void response.writeHead(404).end();
      if (target === '/bomb') {
        bombs++;
        return void response.setHeader('content-encoding', 'gzip').end(bomb);
      }
      const day = Number(/\d+/.exec(target)?.[0] ?? 0);
      const links = [`/day/${day + 1}`, `/day/${day + 2}`, '/bomb', `${target}/x/x/x/x`, `/day/1?next=${day}`];
      response.end(page(`Day ${day}`, ...links));
    });
    const { index, docs } = open(server, [{ at: '/', depth: 20, max_pages: 12, exclude: ['day/3'] }]);
    const report = await index();
    expect(bombs).toBe(1);
    expect(report.skipped).toEqual([{ path: `${server.origin}/bomb`, reason: 'is larger than 20 MB' }]);
    expect(report.notes).toEqual([`Only 12 pages of ${server.origin}/ were read. Raise max_pages for more.`]);
    expect((await docs.stats()).documents).toBe(11);
    expect(server.seen.some(({ target }) => target.includes('?') || target === '/day/3')).toBe(false);
  });

  it('reads pages in their real encoding, whatever their server says, and formats by their type', async () => {
    const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
    const type = (value: string): { 'content-type': string } => ({ 'content-type': value });
    const site: Site = {
      '/': page('Home', 'a', 'b', 'c', 'd', 'notes', 'table', 'e?'),
      '/a': { headers: type('text/html; charset=iso-8859-1'), body: latin('<h1>Zürich</h1><p>alpha</p>') },
      '/b': { headers: type('text/html; charset=iso-8859-1'), body: '<h1>Zürich</h1><p>beta</p>' },
      '/c': {
        headers: type('text/html; charset=utf-8'),
        body: latin('<meta charset=latin1><h1>Zürich</h1><p>gamma</p>'),
      },
      '/d': { headers: type('text/html; charset=nonsense'), body: '<h1>Zürich</h1><p>delta</p>' },
      '/notes': { headers: type('text/markdown'), body: '# Notes\n\nepsilon\n' },
      '/table': { headers: type('text/csv'), body: 'name,price\nzeta,3\n' },
    };
    const { index, docs } = open(await serve(site), [{ at: '/', depth: 1 }]);
    expect(await index()).toMatchObject({ indexed: 7, failures: [], skipped: [] });
    for (const word of ['alpha', 'beta', 'gamma', 'delta'])
      expect((await docs.search(word)).hits[0]).toMatchObject({
        headings: ['Zürich'],
        text: expect.stringContaining(word),
      });
    expect((await docs.search('epsilon')).hits[0]).toMatchObject({ headings: ['Notes'], lines: { from: 1, to: 3 } });
    expect((await docs.search('zeta')).hits[0]?.text).toContain('| name | price |');
  });

  it('names a page by its canonical address, unless that is another page', async () => {
    const canonical = (href: string, words: string): string => `<link rel="canonical" href="${href}"><p>${words}</p>`;
    const site: Site = {
      '/': page('Home', '/a/index.html', '/a/', '/b'),
      '/a/index.html': canonical('/a/', 'apples'),
      '/a/': canonical('/a/', 'apples'),
      '/b': canonical('/', 'bananas'),
    };
    const { index, ids } = open(await serve(site), [{ at: '/', depth: 1 }]);
    await index();
    expect(await ids()).toEqual(['/', '/a/', '/b']);
    expect(await index()).toMatchObject({ indexed: 0, removed: 0 });

    // The first page without the slash that its server adds.
    const server = await serve({ '/a': { status: 301, headers: { location: '/a/' } }, '/a/': page('A') });
    const one = open(server, [{ at: '/a' }]);
    expect(await one.index()).toMatchObject({ indexed: 1, failures: [] });
    expect(await one.index()).toMatchObject({ indexed: 0, unchanged: 1, removed: 0, failures: [] });
    expect(await one.ids()).toEqual(['/a']);
  });
});

describe('a sitemap', () => {
  it('leads to its pages through other sitemaps, compressed or not; a broken one removes nothing', async () => {
    const list = (name: string, item: string, urls: readonly string[]): string =>
      `<?xml version="1.0"?><${name} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
        .map((url) => `<${item}><loc> ${url} </loc></${item}>`)
        .join('')}</${name}>`;
    const site: Site = { '/docs/a': page('A', '/docs/c'), '/docs/b': page('B'), '/docs/c': page('C'), '/x': page('X') };
    const server = await serve(site);
    const at = (path: string): string => server.origin + path;
    const index = list('sitemapindex', 'sitemap', [
      at('/docs/one.xml.gz'),
      at('/docs/two.xml'),
      'http://127.0.0.1:1/s.xml',
    ]);
    const picture = `</loc><image:loc>${at('/docs/picture')}</image:loc><loc>`;
    const one = gzipSync(list('urlset', 'url', [at('/docs/a'), at('/x'), picture]));
    const two = list('urlset', 'url', [
      '<![CDATA[' + at('/docs/b?x=1&y=2') + ']]>',
      at('/docs/b?x=1&amp;y=2'),
      at('/docs/b'),
    ]);
    Object.assign(site, { '/docs/sitemap.xml': index, '/docs/one.xml.gz': { body: one }, '/docs/two.xml': two });
    const opened = open(server, [{ at: '/docs/sitemap.xml' }]);
    expect(await opened.index()).toMatchObject({ indexed: 2, failures: [] });
    expect(await opened.ids()).toEqual(['/docs/a', '/docs/b']);

    const endless = `<urlset><url><loc>${' '.repeat(5_000_000)}`;
    for (const bad of [
      endless,
      '<html>soon back</html>',
      list('urlset', 'url', []),
      gzipSync(Buffer.alloc(60_000_000)),
    ]) {
      site['/docs/sitemap.xml'] = { body: bad };
      const report = await opened.index();
      expect(report.failures).toHaveLength(1);
      expect(await opened.ids()).toEqual(['/docs/a', '/docs/b']);
    }
    site['/docs/sitemap.xml'] = index;
    site['/docs/two.xml'] = { status: 500 };
    expect(await opened.index()).toMatchObject({ removed: 0, failures: [] });
    site['/docs/two.xml'] = list('urlset', 'url', [at('/docs/c')]);
    expect(await opened.index()).toMatchObject({ indexed: 1, unchanged: 1, removed: 1 });
    expect(await opened.ids()).toEqual(['/docs/a', '/docs/c']);
  });
});

describe('sources', () => {
  it('share a collection: the first has shared pages, and a removed one removes its documents', async () => {
    const server = await serve({ '/a/': page('A', 'b/', 'c'), '/a/b/': page('B'), '/a/c': page('C') });
    const both = open(server, [
      { at: '/a/', depth: 1, tags: ['first'] },
      { at: '/a/b/', tags: ['second'] },
      { at: 'http://127.0.0.1:1/', allow_hosts: ['127.0.0.1:1'] },
    ]);
    expect(await both.index()).toMatchObject({ indexed: 3, failures: [{ path: 'http://127.0.0.1:1/' }] });
    const { store } = await both.docs.open();
    expect(await both.index()).toMatchObject({ indexed: 0, unchanged: 3, removed: 0 });
    expect((await store.documents('docs')).filter(({ tags }) => tags[0] === 'first').length).toBeGreaterThan(0);
    await both.docs.store({ content: 'A note stays.', sourcePath: `${server.origin}/a/c` });

    const { sources } = both.docs.plan;
    const { indexSources } = await import('../index-sources.ts');
    const { DEFAULT_CHUNKS } = await import('../../chunking/chunk.ts');
    const resources = {
      base: '/',
      data: undefined,
      records: memoryRecords(),
      httpClient: () => {
        throw new Error('none');
      },
    };
    const former = sources.map(({ scope }) => scope);
    const report = await indexSources(await both.docs.open(), {
      sources: [],
      former,
      chunks: DEFAULT_CHUNKS,
      resources,
    });
    expect(report).toMatchObject({ removed: 3 });
    expect((await both.docs.search('note')).hits).toHaveLength(1);
  });

  it('can be stopped and continued, and end with the error of a failing model', async () => {
    const links = Array.from({ length: 60 }, (_, n) => `/${n}`);
    const site: Site = { '/': page('Home', ...links) };
    for (const link of links) site[link] = page(`Page ${link}`);
    const server = await serve(site);
    const { docs, ids } = open(server, [{ at: '/', depth: 1 }]);
    const stop = new AbortController();
    const own = memoryRecords();
    const onProgress = ({ done }: { readonly done: number }): void => (done >= 40 ? stop.abort() : undefined);
    const stopped = await docs.indexSources({ records: own, signal: stop.signal, onProgress });
    expect(stopped).toMatchObject({ isStopped: true, removed: 0, failures: [] });
    const before = (await ids()).length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(61);
    expect(await docs.indexSources({ records: own })).toMatchObject({ indexed: 61 - before, unchanged: before });

    const embedder: Embedder = {
      id: 'broken',
      dimension: 3,
      embed: () => Promise.reject(new Error('The model is asleep.')),
      close: () => Promise.resolve(),
    };
    const sources = docs.plan.sources.map(({ name: url }) => ({
      url,
      depth: 1,
      allow_hosts: [`127.0.0.1:${server.port}`],
    }));
    const knowledge = openKnowledge({ embedder, collections: { docs: { sources } } });
    onTestFinished(() => knowledge.close());
    await expect(knowledge.collection('docs').indexSources()).rejects.toThrow('The model is asleep.');
  });
});
