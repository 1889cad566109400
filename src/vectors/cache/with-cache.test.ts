import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../embedder.ts';
import { describeEmbedder } from '../embedder-contract.test-helper.ts';
import { createTestEmbedder } from '../test-embedder.ts';
import { createMemoryCache, type VectorCache, withCache } from './with-cache.ts';
import { openSqliteCache } from './sqlite-cache.ts';

describeEmbedder('an embedder with a cache', async () => withCache(createTestEmbedder(), createMemoryCache()));

/** Creates an embedder that records its texts. */
function watched(): { embedder: Embedder; asked: string[] } {
  const inner = createTestEmbedder({ dimension: 16 });
  const asked: string[] = [];
  return {
    asked,
    embedder: {
      ...inner,
      embed: (texts, options) => {
        asked.push(...texts);
        return inner.embed(texts, options);
      },
    },
  };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-cache-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe.each([
  ['memory', async (most?: number): Promise<VectorCache> => createMemoryCache(most)],
  ['sqlite', async (most?: number): Promise<VectorCache> => openSqliteCache({ folder: await makeFolder(), most })],
])('withCache on %s', (_, open) => {
  it('embeds no text twice, even within one call or in parallel', async () => {
    const { embedder, asked } = watched();
    const cached = withCache(embedder, await open());
    const [first] = await cached.embed(['a', 'b', 'a']);
    const [again] = await cached.embed(['a', 'c']);
    await Promise.all([cached.embed(['d']), cached.embed(['d', 'a'])]);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(again).toEqual(first);
    await cached.close();
  });

  it('keeps queries and documents apart', async () => {
    const { embedder, asked } = watched();
    const cached = withCache(embedder, await open());
    await cached.embed(['a'], { as: 'query' });
    await cached.embed(['a'], { as: 'document' });
    await cached.embed(['a']);
    expect(asked).toEqual(['a', 'a']);
    await cached.close();
  });

  it('is not affected by a caller who changes a vector', async () => {
    const { embedder } = watched();
    const cached = withCache(embedder, await open());
    const [first] = await cached.embed(['a']);
    first?.fill(7);
    expect((await cached.embed(['a']))[0]).toEqual((await embedder.embed(['a']))[0]);
    await cached.close();
  });

  it('drops the least recently used vectors', async () => {
    const { embedder, asked } = watched();
    const cached = withCache(embedder, await open(10));
    for (let n = 0; n < 30; n++) await cached.embed([`text ${n}`]);
    asked.length = 0;
    await cached.embed(['text 29', 'text 0']);
    expect(asked).toEqual(['text 0']);
    await cached.close();
  });

  it('lets a waiting caller embed a text when the first caller was stopped', async () => {
    const { embedder } = watched();
    const stop = new AbortController();
    let calls = 0;
    const slow: Embedder = {
      ...embedder,
      embed: (texts, options) => {
        if (++calls > 1) return embedder.embed(texts);
        return new Promise((_, reject) =>
          options?.signal?.addEventListener('abort', () => reject(new Error('stopped'))),
        );
      },
    };
    const cached = withCache(slow, await open());
    const first = cached.embed(['a'], { signal: stop.signal });
    const second = cached.embed(['a']);
    stop.abort();
    await expect(first).rejects.toThrow('stopped');
    expect(await second).toHaveLength(1);
    await cached.close();
  });
});

describe('openSqliteCache', () => {
  it('keeps vectors between processes, and lets two open the file', async () => {
    const folder = await makeFolder();
    const { embedder, asked } = watched();
    const [one, other] = [1, 2].map(() => withCache(embedder, openSqliteCache({ folder })));
    const before = await one?.embed(['a', 'b']);
    expect(await other?.embed(['a', 'b'])).toEqual(before);
    await one?.close();
    await other?.close();
    const later = withCache(embedder, openSqliteCache({ folder }));
    expect(await later.embed(['b', 'a'])).toEqual(before?.toReversed());
    expect(asked).toEqual(['a', 'b']);
    await later.close();
  });

  it('keeps used vectors', async () => {
    const folder = await makeFolder();
    let time = 0;
    const cache = openSqliteCache({ folder, most: 10, now: () => time });
    const vector = Float32Array.of(1);
    cache.set([['old', vector]]);
    for (let n = 0; n < 9; n++) cache.set([[`k${n}`, vector]]);
    time = 100_000_000;
    cache.get(['old']);
    cache.set([['new', vector]]);
    expect(cache.get(['old', 'new', 'k0']).map((found) => found !== undefined)).toEqual([true, true, false]);
    cache.close();
  });

  it.each([
    ['a file that is no database', (folder: string) => writeFileSync(join(folder, 'vectors.db'), 'x'.repeat(5_000))],
    ['a folder that cannot be', () => {}],
  ])('works in memory with %s', async (name, break_) => {
    const folder = await makeFolder();
    break_(folder);
    if (name.startsWith('a folder')) writeFileSync(join(folder, 'data'), '');
    const { embedder, asked } = watched();
    const place = name.startsWith('a folder') ? join(folder, 'data') : folder;
    const cached = withCache(embedder, openSqliteCache({ folder: place }));
    await cached.embed(['a']);
    await cached.embed(['a']);
    expect(asked).toEqual(['a']);
    await cached.close();
  });
});
