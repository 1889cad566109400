import type { EmbeddingSettings, VectorStore } from '../../knowledge/vector-store.ts';
import { type ContractCheck, expectFailure, expectSame } from './contract.ts';
import { createDocument, createStoreChecks, find, TEST_EMBEDDING, type VectorStoreSubject } from './store-subject.ts';

const DOCUMENTS = [
  createDocument('x', [{ text: 'east', embedding: [2, 0, 0, 0] }], { type: 'api' }),
  createDocument('xy', [{ text: 'north-east', embedding: [1, 1, 0, 0] }]),
  createDocument('y', [{ text: 'north', embedding: [0, 0.5, 0, 0] }], { type: 'api' }),
  createDocument('-x', [{ text: 'west', embedding: [-1, 0, 0, 0] }]),
];

const ORDERS = {
  cosine: ['xy#0', 'x#0', 'y#0', '-x#0'],
  dot: ['x#0', 'xy#0', 'y#0', '-x#0'],
  euclidean: ['xy#0', 'y#0', 'x#0', '-x#0'],
} as const;

const REFUSED: readonly (readonly [what: string, embedding: readonly number[] | undefined])[] = [
  ['none', undefined],
  ['one that is too short', [1, 0, 0]],
  ['one that is too long', [1, 0, 0, 0, 0]],
  ['NaN', [1, Number.NaN, 0, 0]],
  ['infinity', [1, 0, 0, Infinity]],
];

const BAD_SETTINGS: readonly EmbeddingSettings[] = [
  { ...TEST_EMBEDDING, dimension: 0 },
  { ...TEST_EMBEDDING, dimension: 1.5 },
  { ...TEST_EMBEDDING, embedder: '' },
  // Config files may contain values that types exclude.
  { ...TEST_EMBEDDING, distance: 'manhattan' as 'dot' },
];

export function storeVectors(subject: VectorStoreSubject): ContractCheck[] {
  const using = createStoreChecks(subject);
  const filled = createStoreChecks(subject, async (store) => {
    await store.ensureCollection('docs', TEST_EMBEDDING);
    await store.upsert('docs', DOCUMENTS);
  });
  const near = (store: VectorStore, query: readonly number[], more: object = {}): Promise<string[]> =>
    find(store, { by: 'vector', vector: Float32Array.from(query), limit: 10, ...more });
  return [
    using('vectors can be stored', async (store) => {
      expectSame(await store.vectorProblem?.(), undefined);
    }),
    using('vectors are found by angle, dot product or distance', async (store) => {
      for (const distance of ['cosine', 'dot', 'euclidean'] as const) {
        await store.dropCollection('docs');
        await store.ensureCollection('docs', { ...TEST_EMBEDDING, distance });
        await store.upsert('docs', DOCUMENTS);
        expectSame(await near(store, [0.8, 0.4, 0, 0]), ORDERS[distance], distance);
      }
    }),
    filled('vectors score by cosine from 1 to -1', async (store) => {
      const request = { by: 'vector', vector: Float32Array.from([3, 0, 0, 0]), limit: 4 } as const;
      const scores = (await store.search('docs', request)).map(({ score }) => round(score));
      expectSame(scores, [1, round(Math.SQRT1_2), 0, -1]);
    }),
    filled('vectors are filtered before the limit, and follow stores and deletes', async (store) => {
      expectSame(await near(store, [-1, 0.1, 0, 0], { filter: { type: 'api' }, limit: 1 }), ['y#0']);
      expectSame(await near(store, [1, 0, 0, 0], { among: ['y#0', 'xy#0', 'z#0'] }), ['xy#0', 'y#0']);
      await store.delete('docs', { documentIds: ['x'] });
      expectSame(await near(store, [1, 0, 0, 0], { limit: 2 }), ['xy#0', 'y#0']);
      await store.upsert('docs', [createDocument('y', [{ text: 'turned', embedding: [1, 0.01, 0, 0] }])]);
      expectSame(await near(store, [1, 0, 0, 0], { limit: 2 }), ['y#0', 'xy#0']);
    }),
    using('vectors are read back with their documents', async (store) => {
      await store.ensureCollection('docs', TEST_EMBEDDING);
      await store.upsert('docs', [createDocument('a', [{ text: 'unit', embedding: [0.6, 0.8, 0, 0] }])]);
      const [read] = await store.read('docs');
      expectSame(Array.from(read?.chunks[0]?.embedding ?? []).map(round), [0.6, 0.8, 0, 0]);
    }),
    ...REFUSED.map(([what, embedding]) =>
      using(`vectors are rejected: ${what}`, async (store) => {
        await store.ensureCollection('docs', TEST_EMBEDDING);
        const document = createDocument('a', [embedding === undefined ? 'x' : { text: 'x', embedding }]);
        await expectFailure(() => store.upsert('docs', [document]), { code: 'invalid_arguments', says: ['"a"'] });
        await expectFailure(() => near(store, embedding ?? []), { code: 'invalid_arguments' });
        expectSame((await store.stats('docs')).documents, 0);
      }),
    ),
    using('zero vectors are stored', async (store) => {
      await store.ensureCollection('docs', TEST_EMBEDDING);
      await store.upsert('docs', [createDocument('a', [{ text: 'x', embedding: [0, 0, 0, 0] }])]);
      expectSame(await near(store, [1, 0, 0, 0]), ['a#0']);
      expectSame(await near(store, [0, 0, 0, 0]), ['a#0']);
    }),
    using('vectors of another embedder are rejected; an empty collection takes new settings', async (store) => {
      const mine = { name: 'docs', embedding: TEST_EMBEDDING };
      await store.ensureCollection('docs', { ...TEST_EMBEDDING, dimension: 8, embedder: 'other' });
      expectSame(await store.ensureCollection('docs', TEST_EMBEDDING), mine);
      await store.upsert('docs', DOCUMENTS);
      for (const change of [{ embedder: 'other' }, { dimension: 8 }, { distance: 'dot' as const }]) {
        await expectFailure(() => store.ensureCollection('docs', { ...TEST_EMBEDDING, ...change }), {
          code: 'invalid_arguments',
          says: ['docs', 'test', String(Object.values(change)[0])],
        });
      }
      expectSame(await store.ensureCollection('docs', TEST_EMBEDDING), mine);
      expectSame(await store.ensureCollection('docs', undefined), mine);
      const { embedding, chunks } = await store.stats('docs');
      expectSame({ embedding, chunks }, { embedding: TEST_EMBEDDING, chunks: 4 });
    }),
    filled('vectors of another embedder are rejected after a rename', async (store) => {
      if (store.renameCollections === undefined) return;
      const other = { ...TEST_EMBEDDING, embedder: 'other' };
      await store.ensureCollection('next', other);
      await store.renameCollections([
        { from: 'docs', to: 'before' },
        { from: 'next', to: 'docs' },
      ]);
      const [late] = DOCUMENTS;
      const write = async (embedding: EmbeddingSettings): Promise<void> =>
        store.upsert('docs', late === undefined ? [] : [late], { embedding });
      await expectFailure(() => write(TEST_EMBEDDING), { code: 'invalid_arguments', says: ['docs', 'test', 'other'] });
      await write(other);
      expectSame(await near(store, [1, 0, 0, 0]), ['x#0']);
    }),
    using('vectors are not searched in a collection without them', async (store) => {
      await store.ensureCollection('docs', undefined);
      await store.upsert('docs', [createDocument('a', ['x'])]);
      await expectFailure(() => near(store, [1, 0, 0, 0]), { code: 'invalid_arguments', says: ['docs'] });
      await expectFailure(() => store.ensureCollection('docs', TEST_EMBEDDING), { code: 'invalid_arguments' });
    }),
    ...BAD_SETTINGS.map((settings) =>
      using(`vectors cannot have the settings ${JSON.stringify(settings)}`, (store) =>
        expectFailure(() => store.ensureCollection('docs', settings), { code: 'invalid_arguments', says: ['docs'] }),
      ),
    ),
  ];
}

function round(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
