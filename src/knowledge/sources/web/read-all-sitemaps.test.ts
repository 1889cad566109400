import { expect, it } from 'vitest';
import { readAllSitemaps } from './read-all-sitemaps.ts';

it('keeps only pages of the source, and stops at the limit', async () => {
  const places = (count: number, path: string): string =>
    Array.from({ length: count }, (_, at) => `<x><loc>https://site.example.com/${path}${at}</loc></x>`).join('');
  const asked: string[] = [];
  const { urls } = await readAllSitemaps(new URL('https://site.example.com/all.xml'), {
    fetch: async ({ pathname }) => {
      asked.push(pathname);
      const pages = `<urlset>${places(20, `other${pathname}-`)}${places(4, `docs${pathname}-`)}</urlset>`;
      return Buffer.from(pathname === '/all.xml' ? `<sitemapindex>${places(50, 'map')}</sitemapindex>` : pages);
    },
    isSelected: ({ pathname }) => pathname.startsWith('/docs/'),
    limit: 6,
  });
  expect(asked).toEqual(['/all.xml', '/map0', '/map1']);
  expect(urls).toEqual(
    ['map0-0', 'map0-1', 'map0-2', 'map0-3', 'map1-0', 'map1-1'].map((name) => `https://site.example.com/docs/${name}`),
  );
});
