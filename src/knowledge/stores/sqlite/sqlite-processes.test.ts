import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseChunkId } from '../../vector-store.ts';
import { createDocument, TEST_EMBEDDING } from '../store-fixtures.test-helper.ts';
import { openSqliteStore } from './sqlite-store.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-rag-'));
  file = join(folder, 'data', 'knowledge.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function storeMany(name: string, count: number): { child: ChildProcess; said: string[]; ended: Promise<unknown> } {
  const script = join(import.meta.dirname, 'store-many.test-helper.ts');
  const child = spawn(process.execPath, [script, file, name, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines);
  });
  return { child, said, ended: new Promise((resolve) => child.once('close', resolve)) };
}

it('has every acknowledged document and no half ones after kill -9 in the middle of 10,000 stores', async () => {
  const { child, said, ended } = storeMany('a', 10_000);
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', () => {
      if (said.length > 150) resolve();
    });
  });
  child.kill('SIGKILL');
  await ended;
  expect(said.length).toBeGreaterThan(150);
  expect(said.length).toBeLessThan(10_000);

  const store = openSqliteStore({ file });
  const documents = await store.documents('notes', { limit: 1_000 });
  const ids = new Set(documents.map(({ id }) => id));
  expect(said.filter((id) => !ids.has(id))).toEqual([]);
  // At most the document in progress exists without having been printed.
  expect(ids.size - said.length).toBeLessThanOrEqual(1);
  for (const { id, chunks } of await store.read('notes')) {
    expect(chunks).toHaveLength(3);
    const word = `word${id.slice(2)}`;
    const hits = await store.search('notes', { by: 'words', text: word, limit: 3 });
    expect(hits.map(({ chunkId }) => parseChunkId(chunkId).documentId)).toEqual([id, id, id]);
  }
  const near = await store.search('notes', { by: 'vector', vector: new Float32Array(16).fill(1), limit: 1_000 });
  expect(new Set(near.map(({ chunkId }) => parseChunkId(chunkId).documentId)).size).toBe(Math.min(334, ids.size));
  expect((await store.stats('notes')).chunks).toBe(ids.size * 3);
  await store.close();
});

it('lets two processes store and a third search at once', async () => {
  const store = openSqliteStore({ file });
  await store.ensureCollection('notes', { ...TEST_EMBEDDING, dimension: 16 });
  const writers = [storeMany('a', 60), storeMany('b', 60)];
  const finished = Promise.all(writers.map(({ ended }) => ended)).then(() => true);
  const vector = new Float32Array(16).fill(0.5);
  let seen = 0;
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([finished, new Promise<false>((resolve) => void setImmediate(resolve, false))]);
    const said = writers.reduce((sum, { said }) => sum + said.length, 0);
    const near = await store.search('notes', { by: 'vector', vector, limit: 1_000 });
    const hits = await store.search('notes', { by: 'words', text: 'common', limit: 1_000 });
    // Every write acknowledged before the search is in its answer, complete.
    expect(near.length).toBeGreaterThanOrEqual(Math.max(seen, said * 3));
    expect(hits.length % 3).toBe(0);
    seen = near.length;
    await store.upsert('notes', [createDocument('mine', [{ text: 'mine', embedding: Array.from(vector) }])]);
    await store.delete('notes', { documentIds: ['mine'] });
  }
  expect(await store.stats('notes')).toMatchObject({ documents: 120, chunks: 360 });
  expect(await store.search('notes', { by: 'vector', vector, limit: 1_000 })).toHaveLength(360);
  await store.close();
});

it('follows what another process deleted and recreated', async () => {
  const [here, there] = [openSqliteStore({ file }), openSqliteStore({ file })];
  const vector = Float32Array.from([1, 0, 0, 0]);
  const near = async (): Promise<string[]> =>
    (await here.search('docs', { by: 'vector', vector, limit: 5 })).map(({ chunkId }) => chunkId);
  await here.ensureCollection('docs', TEST_EMBEDDING);
  await there.upsert('docs', [createDocument('a', [{ text: 'a', embedding: [1, 0, 0, 0] }])]);
  expect(await near()).toEqual(['a#0']);
  await there.upsert('docs', [createDocument('b', [{ text: 'b', embedding: [1, 1, 0, 0] }])]);
  await there.delete('docs', { documentIds: ['a'] });
  expect(await near()).toEqual(['b#0']);
  await there.dropCollection('docs');
  await there.ensureCollection('docs', TEST_EMBEDDING);
  expect(await near()).toEqual([]);
  await Promise.all([here.close(), there.close()]);
});

it('ranks by exact nearness, however many vectors there are', async () => {
  const store = openSqliteStore({ file });
  await store.ensureCollection('docs', { ...TEST_EMBEDDING, dimension: 20, distance: 'dot' });
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
  const vectors = Array.from({ length: 600 }, () => Array.from({ length: 20 }, random));
  const documents = vectors.map((embedding, n) => createDocument(`${n}`, [{ text: 'x', embedding }]));
  await store.upsert('docs', documents);
  for (let round = 0; round < 20; round++) {
    const query = Float32Array.from({ length: 20 }, random);
    const exact = vectors.map((vector, n) => ({
      id: `${n}#0`,
      score: Float32Array.from(vector).reduce((sum, value, place) => sum + value * (query[place] ?? 0), 0),
    }));
    const expected = exact.toSorted((a, b) => b.score - a.score).slice(0, 25);
    const found = await store.search('docs', { by: 'vector', vector: query, limit: 25 });
    expect(found.map(({ chunkId }) => chunkId)).toEqual(expected.map(({ id }) => id));
    expect(found[0]?.score).toBeCloseTo(expected[0]?.score ?? 0, 5);
  }
  await store.close();
});

it('keeps its folder out of version control and says why a file cannot be used', async () => {
  const store = openSqliteStore({ file });
  expect(readFileSync(join(folder, 'data', '.gitignore'), 'utf8')).toBe('*\n');
  await store.close();
  await expect(store.collections()).rejects.toThrow(`The knowledge store ${file} is closed.`);
  expect(() => openSqliteStore({ file: join(file, 'x.db') })).toThrow(/cannot be opened: .*Name another file/);
  const later = new DatabaseSync(file);
  later.exec('pragma user_version = 99');
  later.close();
  expect(() => openSqliteStore({ file })).toThrow('it was made by a later version of Pegboard (99, this one knows 1)');
});

it('rereads the words of a collection when the rules change', async () => {
  const before = openSqliteStore({ file });
  await before.ensureCollection('docs', undefined);
  await before.upsert('docs', [createDocument('a', ['red fox']), createDocument('b', ['blue fox'])]);
  await before.close();
  const other = new DatabaseSync(file);
  other.exec(`update collections set terms = 0, words = 0; update postings set term = 'old' || term`);
  other.close();
  const store = openSqliteStore({ file });
  await store.ensureCollection('docs', undefined);
  const hits = await store.search('docs', { by: 'words', text: 'blue foxes', limit: 5 });
  expect(hits.map(({ chunkId }) => chunkId)).toEqual(['b#0', 'a#0']);
  await store.close();
});
