import { describe, expect, it } from 'vitest';
import type { Embedder } from '../core/embedder.ts';

/** What every embedder does, whatever is behind it. */
export function describeEmbedder(name: string, open: () => Promise<Embedder>): void {
  const dot = (one: Float32Array, other: Float32Array): number =>
    one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);

  describe(`${name}, as every embedder`, () => {
    it('gives a vector of length one for each text, in order, all of one dimension', async () => {
      const embedder = await open();
      const texts = ['send an email', 'what is the weather?', 'send an email', 'x'.repeat(5_000)];
      const vectors = await embedder.embed(texts);
      expect(vectors).toHaveLength(texts.length);
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(embedder.dimension ?? 0);
        expect(dot(vector, vector)).toBeCloseTo(1, 4);
      }
      expect(vectors[0]).toEqual(vectors[2]);
      expect(vectors[0]).not.toEqual(vectors[1]);
    });

    it('gives the same vector for a text whatever stands beside it', async () => {
      const embedder = await open();
      const [alone] = await embedder.embed(['read a file']);
      const among = await embedder.embed(['one', 'two', 'read a file', 'a somewhat longer text']);
      expect(among[2]).toEqual(alone);
    });

    it('puts texts that share words nearer than those that do not', async () => {
      const embedder = await open();
      const [query, near, far] = await embedder.embed(['list my open invoices', 'list invoices', 'rotate the image']);
      if (query === undefined || near === undefined || far === undefined) throw new Error('a vector is missing');
      expect(dot(query, near)).toBeGreaterThan(dot(query, far));
    });

    it('gives nothing for nothing, and takes a text that is empty', async () => {
      const embedder = await open();
      expect(await embedder.embed([])).toEqual([]);
      const [empty] = await embedder.embed(['']);
      expect(empty?.every(Number.isFinite)).toBe(true);
    });

    it('does nothing once its signal has aborted', async () => {
      const embedder = await open();
      await expect(embedder.embed(['a'], { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    });

    it('has an id, and closes twice', async () => {
      const embedder = await open();
      expect(embedder.id).toMatch(/^[a-z]+:./);
      await embedder.close();
      await embedder.close();
    });
  });
}
