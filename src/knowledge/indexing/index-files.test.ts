import { chmodSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../vectors/embedder.ts';
import { DEFAULT_CHUNKS } from '../chunking/chunk.ts';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { createMemoryStore } from '../stores/sqlite/sqlite-store.ts';
import type { VectorStore } from '../vector-store.ts';
import { indexFiles, type IndexRequest } from './index-files.ts';
import type { IndexReport } from './index-report.ts';

let folder: string;
let store: VectorStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-index-'));
  store = createMemoryStore();
  await store.ensureCollection('docs', undefined);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes files that are an hour old. */
function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  const time = new Date(Date.now() - 3_600_000);
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, time, time);
  }
}

function index(request: Partial<IndexRequest> = {}, embedder?: Embedder): Promise<IndexReport> {
  return indexFiles(
    { store, collection: 'docs', embedder, signal: request.signal },
    { paths: ['.'], cwd: folder, base: folder, type: 'general', tags: [], chunks: DEFAULT_CHUNKS, ...request },
  );
}

const ids = async (): Promise<string[]> => (await store.documents('docs')).map(({ id }) => id);
const counts = ({ indexed, unchanged, removed }: IndexReport): number[] => [indexed, unchanged, removed];

describe('indexFiles', () => {
  it('writes new and changed files and deletes documents of removed ones', async () => {
    write({ 'a.md': '# A\n\nfirst words', 'docs/b.txt': 'second', 'docs/c.ts': 'export function third(): void {}\n' });
    expect(counts(await index())).toEqual([3, 0, 0]);
    expect(counts(await index())).toEqual([0, 3, 0]);
    write({ 'a.md': '# A\n\npurple words' });
    unlinkSync(join(folder, 'docs/b.txt'));
    expect(counts(await index())).toEqual([1, 1, 1]);
    expect(await ids()).toEqual(['a.md', 'docs/c.ts']);
    const [hit] = await store.search('docs', { by: 'words', text: 'purple', limit: 5 });
    const [chunk] = await store.chunks('docs', [hit?.chunkId ?? '']);
    expect(chunk).toMatchObject({
      text: '# A\n\npurple words',
      headings: ['A'],
      lines: { from: 1, to: 3 },
      sourcePath: 'a.md',
    });
  });

  it('detects a change with the same size and time, and none if only the time differs', async () => {
    write({ 'a.md': 'aaaa' });
    await index();
    write({ 'a.md': 'bbbb' });
    expect(counts(await index())).toEqual([1, 0, 0]);
    const now = new Date();
    utimesSync(join(folder, 'a.md'), now, now);
    expect(counts(await index())).toEqual([0, 1, 0]);
  });

  it('embeds only what it writes, each document completely', async () => {
    const inner = createTestEmbedder();
    let embedded = 0;
    const embedder: Embedder = {
      ...inner,
      embed: (texts, options) => {
        embedded += texts.length;
        return inner.embed(texts, options);
      },
    };
    await store.ensureCollection('docs', { embedder: inner.id, dimension: 256, distance: 'cosine' });
    write(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`${n}.md`, `# Title ${n}\n\n${`Sentence ${n}. `.repeat(400)}`]),
      ),
    );
    const report = await index({}, embedder);
    expect(report.indexed).toBe(30);
    expect(embedded).toBe(report.chunks);
    const again = await index({}, embedder);
    expect([again.unchanged, again.chunks, embedded]).toEqual([30, 0, report.chunks]);
  });

  it('rereads files if chunk settings or tags change, or if forced', async () => {
    write({ 'a.md': 'words' });
    await index();
    expect((await index({ chunks: { size: 500, overlap: 0 } })).indexed).toBe(1);
    expect((await index({ type: 'api', tags: ['x'] })).indexed).toBe(1);
    expect((await index({ type: 'api', tags: ['x'], force: true })).indexed).toBe(1);
    expect((await index({ type: 'api', tags: ['x'] })).indexed).toBe(0);
    expect(await store.documents('docs')).toMatchObject([{ id: 'a.md', type: 'api', tags: ['x'] }]);
  });

  it('deletes only documents below its paths, never notes', async () => {
    write({ 'a/x.md': 'x', 'b/y.md': 'y', 'b/z.txt': 'z' });
    await index();
    const chunk = { text: 'note', headings: [], lines: undefined, embedding: undefined };
    await store.upsert('docs', [
      {
        id: 'note:1',
        sourcePath: 'a/gone.md',
        contentHash: 'h',
        type: 'general',
        tags: [],
        stamp: undefined,
        chunks: [chunk],
      },
    ]);
    rmSync(join(folder, 'a/x.md'));
    rmSync(join(folder, 'b/y.md'));
    expect((await index({ paths: ['b/*.txt'] })).removed).toBe(0);
    expect((await index({ paths: ['a'] })).removed).toBe(1);
    expect((await index({ paths: ['b/y.md'] })).removed).toBe(1);
    expect(await ids()).toEqual(['b/z.txt', 'note:1']);
  });

  it('names files relative to the base from any working folder', async () => {
    write({ 'a/x.md': 'x' });
    await index({ paths: ['.'], cwd: join(folder, 'a') });
    expect(await ids()).toEqual(['a/x.md']);
    await index({ paths: [join(folder, 'a')], base: join(folder, 'elsewhere') });
    expect(await ids()).toEqual([join(folder, 'a/x.md'), 'a/x.md']);
  });

  it('skips unreadable files with the reason, and deletes a document that became one', async () => {
    write({ 'a.md': 'fine', 'b.md': 'fine' });
    await index();
    write({ 'b.md': new Uint8Array([1, 0, 2]), 'c.txt': Buffer.from('caf\u00e9', 'latin1') });
    const report = await index();
    expect(counts(report)).toEqual([1, 1, 1]);
    expect(report.skipped).toEqual([{ path: 'b.md', reason: 'is a binary file' }]);
    expect(report.notes).toEqual([
      '1 file is not UTF-8 and was read as Windows-1252: c.txt. Convert files that read wrong to UTF-8.',
    ]);
  });

  it('keeps written documents when stopped, deletes nothing, and continues from there', async () => {
    write(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}.md`, `Words of ${n}. `.repeat(2000)])));
    write({ 'gone.md': 'x' });
    await index({ paths: ['gone.md'] });
    unlinkSync(join(folder, 'gone.md'));
    const stop = new AbortController();
    const report = await index({ signal: stop.signal, onProgress: ({ chunks }) => chunks > 0 && stop.abort() });
    expect(report).toMatchObject({ isStopped: true, removed: 0 });
    expect(report.indexed).toBeGreaterThan(0);
    expect(report.indexed).toBeLessThan(40);
    const rest = await index();
    expect([rest.indexed + rest.unchanged, rest.removed]).toEqual([40, 1]);
    expect(rest.unchanged).toBeGreaterThanOrEqual(report.indexed);
  });

  it.skipIf(process.getuid?.() === 0)('keeps documents of a folder that cannot be read', async () => {
    write({ 'a/b/x.md': 'x', 'a/y.md': 'y' });
    await index();
    chmodSync(join(folder, 'a/b'), 0);
    const report = await index();
    chmodSync(join(folder, 'a/b'), 0o700);
    expect(report).toMatchObject({ removed: 0, skipped: [{ path: 'a/b', reason: 'cannot be opened (EACCES)' }] });
  });

  it('reports its progress', async () => {
    write({ 'a.md': 'a', 'b.md': 'b' });
    const told: (readonly [number, number])[] = [];
    await index({ onProgress: ({ done, total }) => told.push([done, total]) });
    expect(told[0]).toEqual([1, 2]);
    expect(told.at(-1)).toEqual([2, 2]);
  });

  it('reports written bytes while long documents are embedded, and can be searched meanwhile', async () => {
    const long = Array.from({ length: 500 }, (_, n) => `Paragraph ${n}. ${'many words '.repeat(60)}`).join('\n\n');
    write({ 'a.md': 'purple words', 'b.md': long, 'c.md': 'last words' });
    await store.dropCollection('docs');
    await store.ensureCollection('docs', { embedder: 'test', dimension: 256, distance: 'cosine' });
    const told: { readonly done: number; readonly total: number }[] = [];
    const found: Promise<number>[] = [];
    const embedder = createTestEmbedder();
    await index(
      {
        onProgress: ({ bytes, chunks }) => {
          told.push(bytes ?? expect.fail());
          if (chunks > 0 && found.length === 0)
            found.push(store.search('docs', { by: 'words', text: 'words', limit: 5 }).then((hits) => hits.length));
        },
      },
      embedder,
    );
    const total = long.length + 'purple words'.length + 'last words'.length;
    expect(new Set(told.map((each) => each.total))).toEqual(new Set([total]));
    expect(told.map(({ done }) => done)).toEqual(told.map(({ done }) => done).toSorted((a, b) => a - b));
    // A single document is reported several times.
    expect(new Set(told.map(({ done }) => done)).size).toBeGreaterThanOrEqual(3);
    expect(told.at(-1)?.done).toBe(total);
    expect(await Promise.all(found)).toEqual([expect.toSatisfy((hits) => hits > 0)]);
  });

  it('fails with the reason when the store fails', async () => {
    write({ 'a.md': 'a' });
    await store.dropCollection('docs');
    await expect(index()).rejects.toMatchObject({ code: 'not_found' });
  });
});
