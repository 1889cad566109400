import { describe, expect, it } from 'vitest';
import { createTestEmbedder } from './test-embedder.ts';
import { VectorTable } from './packed-rows.ts';

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);

describe('VectorTable', () => {
  it.each([3, 8, 384, 1_000, 3_072])('returns the products of vectors of %i numbers', async (dimension) => {
    const texts = Array.from({ length: 600 }, (_, n) => `text ${n} of some ${n % 7} words`);
    const [query = new Float32Array(), ...rows] = await createTestEmbedder({ dimension }).embed([
      'words of text',
      ...texts,
    ]);
    const table = new VectorTable(dimension);
    for (const [slot, row] of rows.entries()) table.set(slot, row);
    const products = table.multiply(query);
    expect(products).toHaveLength(600);
    for (const [slot, row] of rows.entries()) expect(products[slot]).toBeCloseTo(dot(query, row), 2);
  });

  it('multiplies vectors with the largest possible sums', () => {
    const dimension = 4_096;
    const table = new VectorTable(dimension);
    const even = new Float32Array(dimension).fill(1 / Math.sqrt(dimension));
    table.set(0, even);
    table.set(
      1,
      even.map((number) => -number),
    );
    expect([...table.multiply(even)].map((number) => Math.round(number * 1_000))).toEqual([1_000, -1_000]);
  });

  it('empties a slot and reuses it', () => {
    const table = new VectorTable(8);
    const vector = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
    table.set(0, vector);
    table.clear(0);
    table.clear(99);
    expect(table.multiply(vector)[0]).toBe(0);
    table.set(0, Float32Array.of(0, 1, 0, 0, 0, 0, 0, 0));
    expect(table.multiply(vector)[0]).toBe(0);
  });
});
