import { expect, it } from 'vitest';
import { packVector } from '../../../../vectors/packed-vector.ts';
import { CollectionVectors } from './collection-vectors.ts';

it.each([1, 3, 16, 17, 384, 1_536, 3_072])(
  'finds the nearest of vectors of %s numbers, long and short ones',
  async (dimension) => {
    const table = new CollectionVectors({ dimension, isEuclidean: false });
    let seed = dimension + 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
    const rows = Array.from({ length: 300 }, (_, n) => {
      return Float32Array.from({ length: dimension }, () => random() * 10 ** ((n % 9) - 4));
    });
    for (const [n, row] of rows.entries()) table.add(n * 3, packVector(row));
    table.remove(30);
    expect(table.remove(31)).toBe(false);
    expect(table.size).toBe(299);
    const query = Float32Array.from({ length: dimension }, random);
    const exact = rows
      .map((row, n) => ({ number: n * 3, score: row.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0) }))
      .filter(({ number }) => number !== 30)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, 10);
    const found = await table.search(query, { limit: 10, allowed: undefined, signal: undefined });
    const numbers = new Set(found.map(({ number }) => number));
    expect(exact.filter(({ number }) => !numbers.has(number))).toEqual([]);
  },
);

it('keeps to the largest numbers that bytes can have', async () => {
  const table = new CollectionVectors({ dimension: 16_000, isEuclidean: false });
  table.add(1, packVector(new Float32Array(16_000).fill(1)));
  table.add(2, packVector(new Float32Array(16_000).fill(-1)));
  const [best] = await table.search(new Float32Array(16_000).fill(1), {
    limit: 1,
    allowed: undefined,
    signal: undefined,
  });
  expect(best?.number).toBe(1);
  expect(best?.estimate).toBeCloseTo(16_000, -1);
});
