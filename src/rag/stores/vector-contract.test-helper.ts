import { describe, expect, it } from 'vitest';
import type { VectorStore } from '../vector-store.ts';
import { createDocument, TEST_EMBEDDING } from './store-fixtures.test-helper.ts';

/** What a store must do with vectors; `getStore` gives an empty one in each test. */
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

    it('can be kept', async () => {
      expect(await getStore().vectorProblem?.()).toBeUndefined();
    });

    it('are found by angle, dot product or distance', async () => {
      const store = getStore();
      const orders = {
        cosine: ['xy#0', 'x#0', 'y#0', '-x#0'],
        dot: ['x#0', 'xy#0', 'y#0', '-x#0'],
        euclidean: ['xy#0', 'y#0', 'x#0', '-x#0'],
      };
      for (const distance of ['cosine', 'dot', 'euclidean'] as const) {
        await store.dropCollection('docs');
        await store.ensureCollection('docs', { ...TEST_EMBEDDING, distance });
        await store.upsert('docs', documents);
        expect(await near(vector(0.8, 0.4, 0, 0))).toEqual(orders[distance]);
      }
    });

    it('score by cosine from 1 to -1', async () => {
      await getStore().ensureCollection('docs', TEST_EMBEDDING);
      await getStore().upsert('docs', documents);
      const hits = await getStore().search('docs', { by: 'vector', vector: vector(3, 0, 0, 0), limit: 4 });
      expect(hits.map(({ score }) => Math.round(score * 1e5) / 1e5)).toEqual([
        1,
        Math.round(Math.SQRT1_2 * 1e5) / 1e5,
        0,
        -1,
      ]);
    });

    it('obey filters before the limit, and follow what is stored and deleted', async () => {
      const store = getStore();
      await store.ensureCollection('docs', TEST_EMBEDDING);
      await store.upsert('docs', documents);
      expect(await near(vector(-1, 0.1, 0, 0), { filter: { type: 'api' }, limit: 1 })).toEqual(['y#0']);
      expect(await near(vector(1, 0, 0, 0), { among: ['y#0', 'xy#0', 'z#0'] })).toEqual(['xy#0', 'y#0']);
      await store.delete('docs', { documentIds: ['x'] });
      expect(await near(vector(1, 0, 0, 0), { limit: 2 })).toEqual(['xy#0', 'y#0']);
      await store.upsert('docs', [createDocument('y', [{ text: 'turned', embedding: [1, 0.01, 0, 0] }])]);
      expect(await near(vector(1, 0, 0, 0), { limit: 2 })).toEqual(['y#0', 'xy#0']);
    });

    it('are read back with their documents', async () => {
      const store = getStore();
      await store.ensureCollection('docs', TEST_EMBEDDING);
      await store.upsert('docs', [createDocument('a', [{ text: 'unit', embedding: [0.6, 0.8, 0, 0] }])]);
      const [read] = await store.read('docs');
      const found = Array.from(read?.chunks[0]?.embedding ?? []).map((value) => Math.round(value * 1e5) / 1e5);
      expect(found).toEqual([0.6, 0.8, 0, 0]);
    });

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

    it('of length nought are kept', async () => {
      await getStore().ensureCollection('docs', TEST_EMBEDDING);
      await getStore().upsert('docs', [createDocument('a', [{ text: 'x', embedding: [0, 0, 0, 0] }])]);
      expect(await near(vector(1, 0, 0, 0))).toEqual(['a#0']);
      expect(await near(vector(0, 0, 0, 0))).toEqual(['a#0']);
    });

    it('of another embedder are refused with what to do; an empty collection takes new settings', async () => {
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
              `^Collection "docs" was made with test \\(4 numbers, cosine\\), and the config asks for .*${advice}, or index the collection anew`,
            ),
          ),
        });
      }
      expect(await store.ensureCollection('docs', TEST_EMBEDDING)).toEqual({ name: 'docs', embedding: TEST_EMBEDDING });
      expect(await store.ensureCollection('docs', undefined)).toEqual({ name: 'docs', embedding: TEST_EMBEDDING });
      expect(await store.stats('docs')).toMatchObject({ embedding: TEST_EMBEDDING, chunks: 4 });
    });

    it('are not looked for where there are none', async () => {
      const store = getStore();
      await store.ensureCollection('docs', undefined);
      await store.upsert('docs', [createDocument('a', ['x'])]);
      await expect(near(vector(1, 0, 0, 0))).rejects.toThrow('Collection "docs" has no vectors. Search it by words');
      await expect(store.ensureCollection('docs', TEST_EMBEDDING)).rejects.toThrow('was made without an embedder');
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
