import { describe, expect, it } from 'vitest';
import type { VectorStore } from '../vector-store.ts';
import { createDocument, TEST_EMBEDDING } from './store-fixtures.test-helper.ts';

/** Checks the full messages about vectors that do not fit; `getStore` returns an empty store in each test. */
export function describeVectors(getStore: () => VectorStore): void {
  describe('vectors', () => {
    const vector = (...values: number[]): Float32Array => Float32Array.from(values);
    const near = async (query: Float32Array, more: object = {}): Promise<string[]> =>
      (await getStore().search('docs', { by: 'vector', vector: query, limit: 10, ...more })).map(
        ({ chunkId }) => chunkId,
      );
    const documents = [
      createDocument('x', [{ text: 'east', embedding: [2, 0, 0, 0] }], { type: 'api' }),
      createDocument('xy', [{ text: 'north-east', embedding: [1, 1, 0, 0] }]),
      createDocument('y', [{ text: 'north', embedding: [0, 0.5, 0, 0] }], { type: 'api' }),
      createDocument('-x', [{ text: 'west', embedding: [-1, 0, 0, 0] }]),
    ];

    it.each([
      ['none', undefined, "has no vector; the collection's come from test"],
      ['one that is too short', [1, 0, 0], "a vector of 3 numbers; the collection's have 4"],
      ['one that is too long', [1, 0, 0, 0, 0], 'a vector of 5 numbers'],
      ['NaN', [1, Number.NaN, 0, 0], 'a vector with NaN at place 1'],
      ['infinity', [1, 0, 0, Infinity], 'a vector with Infinity at place 3'],
    ])('are refused: %s', async (_, embedding, message) => {
      const store = getStore();
      await store.ensureCollection('docs', TEST_EMBEDDING);
      const document = createDocument('a', [embedding === undefined ? 'x' : { text: 'x', embedding }]);
      await expect(store.upsert('docs', [document])).rejects.toMatchObject({
        code: 'invalid_arguments',
        message: expect.stringContaining(message),
      });
      await expect(near(Float32Array.from(embedding ?? []))).rejects.toMatchObject({ code: 'invalid_arguments' });
      expect((await store.stats('docs')).documents).toBe(0);
    });

    it('of another embedder are rejected with the fix; an empty collection takes new settings', async () => {
      const store = getStore();
      await store.ensureCollection('docs', { ...TEST_EMBEDDING, dimension: 8, embedder: 'other' });
      expect(await store.ensureCollection('docs', TEST_EMBEDDING)).toEqual({ name: 'docs', embedding: TEST_EMBEDDING });
      await store.upsert('docs', documents);
      for (const [change, advice] of [
        [{ embedder: 'other' }, 'Set the embedder back'],
        [{ dimension: 8 }, 'Set embeddings_dimension, or the model, back to what gives 4 numbers'],
        [{ distance: 'dot' as const }, 'Set embeddings_distance to Cosine'],
      ] as const) {
        await expect(store.ensureCollection('docs', { ...TEST_EMBEDDING, ...change })).rejects.toMatchObject({
          code: 'invalid_arguments',
          message: expect.stringMatching(
            new RegExp(
              `^Collection "docs" was created with test \\(4 numbers, cosine\\), and the config asks for .*${advice}, or rebuild the collection`,
            ),
          ),
        });
      }
      expect(await store.ensureCollection('docs', TEST_EMBEDDING)).toEqual({ name: 'docs', embedding: TEST_EMBEDDING });
      expect(await store.ensureCollection('docs', undefined)).toEqual({ name: 'docs', embedding: TEST_EMBEDDING });
      expect(await store.stats('docs')).toMatchObject({ embedding: TEST_EMBEDDING, chunks: 4 });
    });

    it('are not searched in a collection without vectors', async () => {
      const store = getStore();
      await store.ensureCollection('docs', undefined);
      await store.upsert('docs', [createDocument('a', ['x'])]);
      await expect(near(vector(1, 0, 0, 0))).rejects.toThrow('Collection "docs" has no vectors. Search it by words');
      await expect(store.ensureCollection('docs', TEST_EMBEDDING)).rejects.toThrow('was created without an embedder');
    });

    it.each([
      [{ ...TEST_EMBEDDING, dimension: 0 }, 'a dimension is a whole number from 1 to 16000, not 0'],
      [{ ...TEST_EMBEDDING, dimension: 1.5 }, 'not 1.5'],
      [{ ...TEST_EMBEDDING, embedder: '' }, 'the embedder has no id'],
      [{ ...TEST_EMBEDDING, distance: 'manhattan' as 'dot' }, 'Use one of: cosine, dot, euclidean'],
    ])('cannot have the settings %j', async (embedding, message) => {
      await expect(getStore().ensureCollection('docs', embedding)).rejects.toThrow(message);
    });
  });
}
