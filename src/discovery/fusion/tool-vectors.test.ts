import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../vectors/embedder.ts';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { fakeTool } from '../boards.test-helper.ts';
import { toIndexedTool } from '../indexed-tool.ts';
import { ToolVectors } from './tool-vectors.ts';

describe('ToolVectors', () => {
  it('pauses after an embedder failed, then tries again', async () => {
    let [calls, isDown, time] = [0, true, 0];
    const inner = createTestEmbedder();
    const embedder: Embedder = {
      ...inner,
      embed: (texts) => {
        calls++;
        return isDown ? Promise.reject(new Error('down')) : inner.embed(texts);
      },
    };
    const vectors = new ToolVectors(embedder, () => time);
    vectors.put(toIndexedTool(fakeTool('a', 'One'), undefined, 0));
    await vectors.prepare();
    expect([vectors.failure, vectors.missing, calls]).toEqual(['down', 1, 1]);
    time += 10_000;
    await vectors.prepare();
    expect(await vectors.embedQuery(['one'], undefined)).toBeUndefined();
    expect(calls).toBe(1);
    isDown = false;
    time += 30_000;
    expect(await vectors.embedQuery(['one'], undefined)).toHaveLength(1);
    await vectors.prepare();
    expect([vectors.failure, vectors.missing, calls]).toEqual([undefined, 0, 3]);
  });

  it('drops the vector of a tool that changed or was removed while it was embedded', async () => {
    const inner = createTestEmbedder();
    let during = (): void => {};
    const embedder: Embedder = {
      ...inner,
      embed: (texts) => {
        during();
        return inner.embed(texts);
      },
    };
    const vectors = new ToolVectors(embedder);
    vectors.put(toIndexedTool(fakeTool('a', 'One'), undefined, 0));
    vectors.put(toIndexedTool(fakeTool('b', 'Two'), undefined, 1));
    during = () => {
      during = () => {};
      vectors.remove('b');
      vectors.put(toIndexedTool(fakeTool('a', 'Three'), undefined, 0));
    };
    await vectors.prepare();
    const [query = new Float32Array()] = await inner.embed(['a: Three']);
    const closeness = vectors.compare(query);
    expect(closeness?.size).toBe(1);
    expect(closeness?.of('a')).toBeCloseTo(1, 2);
    expect(closeness?.of('b')).toBeUndefined();
  });
});
