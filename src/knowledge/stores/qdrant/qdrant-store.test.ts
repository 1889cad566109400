import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStore } from '../store-contract.test-helper.ts';
import { createDocument, TEST_EMBEDDING } from '../store-fixtures.test-helper.ts';
import { startQdrantApi } from './qdrant-api.test-helper.ts';
import { openQdrantStore } from './qdrant-store.ts';

let api: Awaited<ReturnType<typeof startQdrantApi>>;
beforeAll(async () => {
  api = await startQdrantApi();
});
afterAll(() => api.close());

async function openEmpty(): Promise<ReturnType<typeof openQdrantStore>> {
  const store = openQdrantStore({ url: api.url, apiKey: 'key' });
  for (const { name } of await store.collections()) await store.dropCollection(name);
  api.requests.length = 0;
  return store;
}

describeStore('qdrant', { open: openEmpty, hasExactLengths: false });

describe('openQdrantStore', () => {
  it('sends requests as the API requires', async () => {
    const store = await openEmpty();
    await store.ensureCollection('docs', TEST_EMBEDDING);
    await store.upsert('docs', [
      createDocument('a', [{ text: 'red fox', embedding: [1, 0, 0, 0] }], { sourcePath: 'src/a.ts' }),
    ]);
    await store.search('docs', { by: 'words', text: 'fox fox', filter: { sourcePath: 'src/' }, limit: 3 });
    expect(new Set(api.requests.map(({ apiKey }) => apiKey))).toEqual(new Set(['key']));
    const allSent = (method: string, path: string): unknown[] =>
      api.requests.filter((request) => request.method === method && request.path === path).map(({ body }) => body);
    const sent = (method: string, path: string): unknown => allSent(method, path)[0];
    expect(sent('PUT', '/collections/docs')).toEqual({
      vectors: { dense: { size: 4, distance: 'Cosine' } },
      sparse_vectors: { words: { modifier: 'idf' } },
    });
    // Requested in parallel, so they come in any order.
    expect(allSent('PUT', '/collections/docs/index?wait=true')).toEqual(
      expect.arrayContaining([
        { field_name: 'document', field_schema: 'keyword' },
        { field_name: 'position', field_schema: 'integer' },
      ]),
    );
    expect(sent('POST', '/collections/docs/points/batch?wait=true&ordering=strong')).toEqual({
      operations: [
        {
          upsert: {
            points: [
              {
                id: expect.stringMatching(/^[0-9a-f-]{36}$/),
                vector: {
                  dense: [1, 0, 0, 0],
                  words: { indices: expect.any(Array), values: [expect.closeTo(1.6692, 4), expect.closeTo(1.6692, 4)] },
                },
                payload: expect.objectContaining({ document: 'a', position: 0, path: 'src/a.ts', folders: ['src/'] }),
              },
            ],
          },
        },
        {
          delete: {
            filter: {
              must: [
                { key: 'document', match: { value: 'a' } },
                { key: 'position', range: { gte: 1 } },
              ],
            },
          },
        },
      ],
    });
    expect(sent('POST', '/collections/docs/points/query')).toEqual({
      query: { indices: [expect.any(Number)], values: [2] },
      using: 'words',
      filter: {
        must: [
          { key: 'kind', match: { value: 'chunk' } },
          { key: 'folders', match: { value: 'src/' } },
        ],
      },
      limit: 3,
      with_payload: ['document', 'position'],
    });
  });

  it('retries requests that the server could not handle, and gives up with what to check', async () => {
    const store = await openEmpty();
    api.fail(2);
    expect(await store.collections()).toEqual([]);
    api.fail(3);
    await expect(store.collections()).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: `The Qdrant server ${api.url} cannot be reached: Service is starting. Check that it runs and that endpoint_url is right.`,
    });
    const unreachable = openQdrantStore({ url: 'http://127.0.0.1:1' });
    await expect(unreachable.collections()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('does not touch collections of other programs', async () => {
    const store = await openEmpty();
    const vectors = { '': { size: 3, distance: 'Dot' } };
    await fetch(`${api.url}/collections/theirs`, {
      method: 'PUT',
      body: JSON.stringify({ vectors, sparse_vectors: {} }),
    });
    expect(await store.collections()).toEqual([]);
    await expect(store.ensureCollection('theirs', undefined)).rejects.toThrow(
      'has a collection "theirs" that Pegboard did not create. Set another name',
    );
    await fetch(`${api.url}/collections/theirs`, { method: 'DELETE' });
  });
});
