import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyCollection } from './copy-collection.ts';
import { createMemoryStore, openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { createDocument, TEST_EMBEDDING } from '../stores/store-fixtures.test-helper.ts';
import type { VectorStore } from '../vector-store.ts';

let folder: string;
let from: VectorStore;
let to: VectorStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-copy-'));
  from = createMemoryStore();
  to = openSqliteStore({ file: join(folder, 'knowledge.db') });
  await from.ensureCollection('docs', TEST_EMBEDDING);
  const documents = Array.from({ length: 250 }, (_, n) =>
    createDocument(`${n}`, [{ text: `fox ${n}`, embedding: [1, n, 0, 0] }], { tags: ['x'], sourcePath: `${n}.md` }),
  );
  await from.upsert('docs', documents);
});
afterEach(async () => {
  await to.close();
  rmSync(folder, { recursive: true, force: true });
});

it('copies documents with their vectors, and only missing ones when run again', async () => {
  const stop = new AbortController();
  const interrupted = copyCollection({
    from,
    to,
    collection: 'docs',
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(interrupted).rejects.toThrow();
  expect((await to.stats('docs')).documents).toBe(100);
  const told: number[] = [];
  const result = await copyCollection({
    from,
    to,
    collection: 'docs',
    onProgress: ({ copied }) => void told.push(copied),
  });
  expect(result).toEqual({ copied: 150, skipped: 100, total: 250 });
  expect(told).toEqual([0, 100, 150]);
  expect(await to.read('docs')).toEqual(await from.read('docs'));
  await from.upsert('docs', [createDocument('7', [{ text: 'changed', embedding: [0, 0, 1, 0] }])]);
  expect(await copyCollection({ from, to, collection: 'docs' })).toEqual({ copied: 1, skipped: 249, total: 250 });
});

it('refuses to mix vectors, and unknown collections', async () => {
  await to.ensureCollection('docs', { ...TEST_EMBEDDING, embedder: 'other' });
  await to.upsert('docs', [createDocument('x', [{ text: 'x', embedding: [1, 0, 0, 0] }])]);
  await expect(copyCollection({ from, to, collection: 'docs' })).rejects.toThrow('cannot be mixed');
  expect(await copyCollection({ from, to, collection: 'docs', as: 'docs-2' })).toMatchObject({ copied: 250 });
  await expect(copyCollection({ from, to, collection: 'dcos' })).rejects.toThrow('Known: docs.');
  await from.ensureCollection('plain', undefined);
  await expect(copyCollection({ from, to, collection: 'plain', as: 'docs' })).rejects.toThrow('cannot be mixed');
});
