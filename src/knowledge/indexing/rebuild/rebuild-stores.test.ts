// A collection is rebuilt for another embedder in each store.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openKnowledge, type StoreServerSettings } from '../../../rag.ts';
import { createTestEmbedder } from '../../../vectors/test-embedder.ts';
import { startPglite } from '../../stores/postgres/pglite-server.test-helper.ts';
import { startQdrantApi } from '../../stores/qdrant/qdrant-api.test-helper.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-rebuild-'));
  writeFileSync(join(folder, 'a.md'), '# A\n\nWords about apples.\n');
  writeFileSync(join(folder, 'b.md'), '# B\n\nWords about bananas.\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STORES: Readonly<Record<string, () => Promise<{ url: string | undefined; close(): Promise<unknown> }>>> = {
  sqlite: async () => ({ url: undefined, close: () => Promise.resolve() }),
  postgres: startPglite,
  qdrant: startQdrantApi,
};

it.each(Object.keys(STORES))('%s', async (driver) => {
  const server = await STORES[driver]?.();
  const settings: StoreServerSettings = { driver, endpoint_url: server?.url };
  const options = {
    base: folder,
    data: join(folder, 'data'),
    servers: { default: settings },
    collections: { docs: {} },
  };
  const before = openKnowledge(options);
  await before.collection('docs').index(['*.md'], { cwd: folder });
  await before.collection('docs').store({ content: 'A note about cherries.' });
  await before.close();

  const embedder = createTestEmbedder();
  const after = openKnowledge({ ...options, embedder });
  const docs = after.collection('docs');
  expect(await docs.problem()).toMatchObject({ type: 'missing' });
  const build = await docs.rebuild();
  await build?.index(['*.md'], { cwd: folder });
  expect([(await docs.search('apples')).mode, await docs.unfinished()]).toEqual(['words', 2]);
  rmSync(join(folder, 'b.md'));
  await build?.index(['*.md'], { cwd: folder });
  expect(await build?.finish({ runs: [{ paths: ['*.md'] }], cwd: folder })).toEqual({ removed: 1 });
  expect([await docs.problem(), await docs.unfinished()]).toEqual([undefined, undefined]);
  for (const [query, text] of [
    ['apples', 'Words about apples.'],
    ['cherries', 'A note about cherries.'],
  ] as const) {
    const { mode, hits } = await docs.search(query, { limit: 1 });
    expect([mode, hits[0]?.text]).toEqual(['hybrid', expect.stringContaining(text)]);
  }
  const { store } = await docs.open();
  expect(await store.collections()).toEqual([
    { name: 'docs', embedding: expect.objectContaining({ embedder: embedder.id }) },
  ]);
  expect(await docs.stats()).toMatchObject({ documents: 2 });
  await after.close();
  await server?.close();
});
