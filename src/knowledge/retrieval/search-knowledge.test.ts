import { beforeEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../vectors/embedder.ts';
import { createMemoryStore } from '../stores/sqlite/sqlite-store.ts';
import { createDocument } from '../stores/store-fixtures.test-helper.ts';
import type { KnowledgeDocument, VectorStore } from '../vector-store.ts';
import { searchKnowledge } from './search-knowledge.ts';

/** The topics of a few words: animals, plants, machines; other words have one of their own. */
const TOPICS: Readonly<Record<string, number>> = {
  cat: 0,
  feline: 0,
  kitten: 0,
  rose: 1,
  flower: 1,
  engine: 2,
  motor: 2,
};

const embedder: Embedder = {
  id: 'topics',
  dimension: 4,
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(4).fill(0.01);
      for (const word of text.toLowerCase().split(/\W+/)) {
        const topic = TOPICS[word] ?? 3;
        vector[topic] = (vector[topic] ?? 0) + (topic === 3 ? 0.1 : 1);
      }
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    });
  },
  close: async () => undefined,
};

let store: VectorStore;
beforeEach(() => {
  store = createMemoryStore();
});

async function fill(documents: readonly KnowledgeDocument[], withVectors: boolean): Promise<void> {
  const settings = { embedder: 'topics', dimension: 4, distance: 'cosine' } as const;
  await store.ensureCollection('docs', withVectors ? settings : undefined);
  const ready = documents.map(async (document) => {
    const vectors = withVectors ? await embedder.embed(document.chunks.map(({ text }) => text)) : [];
    return { ...document, chunks: document.chunks.map((chunk, place) => ({ ...chunk, embedding: vectors[place] })) };
  });
  await store.upsert('docs', await Promise.all(ready));
}

const ANIMALS = [
  createDocument('kitten', ['A kitten plays.'], { type: 'api' }),
  createDocument('cat', ['The cat sleeps all day on the warm sofa.']),
  createDocument('rose', ['A rose is a flower with thorns.']),
  createDocument('engine', ['An engine needs oil.']),
  createDocument('sleep', ['Sleep is good for people.']),
];

describe('searchKnowledge', () => {
  it('finds texts by words and by meaning, those with both first', async () => {
    await fill(ANIMALS, true);
    const { mode, notice, hits } = await searchKnowledge(store, {
      collection: 'docs',
      query: 'sleeping cat',
      embedder,
      limit: 3,
    });
    expect({ mode, notice }).toEqual({ mode: 'hybrid', notice: undefined });
    expect(hits.map(({ documentId }) => documentId)).toEqual(['cat', 'kitten', 'sleep']);
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? 1);
    expect(hits[0]?.score).toBeLessThanOrEqual(1);
  });

  it('searches only words without an embedder, or in a collection without vectors', async () => {
    await fill(ANIMALS, false);
    for (const given of [undefined, embedder]) {
      const answer = await searchKnowledge(store, { collection: 'docs', query: 'sleeping cat', embedder: given });
      expect(answer.mode).toBe('words');
      expect(answer.hits.map(({ documentId }) => documentId)).toEqual(['cat', 'sleep']);
    }
  });

  it('ranks texts with adjacent words of the query first', async () => {
    const far = createDocument('far', [
      'Open the window. Some text about gardens in between. Then look at the session file.',
    ]);
    const near = createDocument('near', [
      'Some text about gardens in between. Then look at the file. Open the session window.',
    ]);
    const turned = createDocument('turned', [
      'Some text about gardens in the window. Then look at the file. A session to open.',
    ]);
    await fill([far, near, turned], false);
    const found = async (query: string): Promise<string[]> =>
      (await searchKnowledge(store, { collection: 'docs', query })).hits.map(({ documentId }) => documentId);
    expect(await found('how do I open the session window')).toEqual(['near', 'turned', 'far']);
    expect((await found('session file'))[0]).toBe('far');
    expect(await found('session')).toHaveLength(3);
  });

  it('ranks texts with words of the query in their headings first', async () => {
    const [cut, under] = ['cut', 'under'].map((id) => createDocument(id, [`${id}: extract the files of an archive`]));
    if (cut === undefined || under === undefined) expect.fail();
    const chunks = under.chunks.map((chunk) => ({ ...chunk, headings: ['tar', 'Extract'] }));
    await fill([cut, { ...under, chunks }], false);
    const { hits } = await searchKnowledge(store, { collection: 'docs', query: 'extract files' });
    expect(hits.map(({ documentId }) => documentId)).toEqual(['under', 'cut']);
    expect(hits[1]?.score).toBeLessThan(0.8);
  });

  it('trusts vectors more for short texts and words more for long ones', async () => {
    const find = async (length: number): Promise<string[]> => {
      const more = (name: string): string => Array.from({ length }, (_, number) => `${name}${number}`).join(' ');
      store = createMemoryStore();
      await fill(
        [createDocument('meaning', [`A kitten. ${more('one')}`]), createDocument('words', [`He naps. ${more('two')}`])],
        true,
      );
      const { hits } = await searchKnowledge(store, { collection: 'docs', query: 'feline naps', embedder });
      return hits.map(({ documentId }) => documentId);
    };
    expect(await find(0)).toEqual(['meaning', 'words']);
    expect(await find(300)).toEqual(['words', 'meaning']);
  });

  it('reads each text once, even if words and vectors find the same', async () => {
    await fill(ANIMALS, true);
    const asked: string[] = [];
    const chunks = store.chunks.bind(store);
    store.chunks = (collection, ids) => {
      asked.push(...ids);
      return chunks(collection, ids);
    };
    await searchKnowledge(store, { collection: 'docs', query: 'the cat sleeps', embedder });
    expect(asked.toSorted()).toEqual(['cat#0', 'engine#0', 'kitten#0', 'rose#0', 'sleep#0']);
  });

  it('applies filters to both', async () => {
    await fill(ANIMALS, true);
    const query = { collection: 'docs', query: 'cat flower', embedder, filter: { type: 'api' } };
    expect((await searchKnowledge(store, query)).hits.map(({ documentId }) => documentId)).toEqual(['kitten']);
  });

  it('explains each hit', async () => {
    await fill(ANIMALS, true);
    const query = { collection: 'docs', query: 'a feline that sleeps', embedder, explain: true };
    const { hits } = await searchKnowledge(store, query);
    const of = (id: string): unknown => hits.find(({ documentId }) => documentId === id)?.explanation;
    expect(of('kitten')).toEqual({ words: undefined, vector: { rank: 1, score: expect.closeTo(1, 1) } });
    expect(of('cat')).toEqual({
      words: { rank: 2, score: expect.any(Number), terms: ['sleep'] },
      vector: { rank: 2, score: expect.any(Number) },
    });
  });

  it('joins neighbouring chunks of a document and cuts their overlap', async () => {
    const texts = ['Cats and the art of sleeping', 'the art of sleeping, for cats of any age', 'Dogs', 'Cats again'];
    const document = createDocument('guide', texts, { sourcePath: 'guide.md' });
    const chunks = document.chunks.map((chunk, n) => ({ ...chunk, lines: { from: n * 5 + 1, to: n * 5 + 5 } }));
    await fill([{ ...document, chunks }], false);
    const { hits } = await searchKnowledge(store, { collection: 'docs', query: 'cat' });
    expect(hits.map(({ chunkIds, lines, text }) => ({ chunkIds, lines, text }))).toEqual([
      { chunkIds: ['guide#3'], lines: { from: 16, to: 20 }, text: 'Cats again' },
      {
        chunkIds: ['guide#0', 'guide#1'],
        lines: { from: 1, to: 10 },
        text: 'Cats and the art of sleeping, for cats of any age',
      },
    ]);
  });

  it('returns a text once with its other places', async () => {
    const text = 'Every cat has nine lives, or so they say, and some may have more.';
    const twin = createDocument('b', [`  ${text.toUpperCase()}\n`], { sourcePath: 'b.md' });
    await fill([createDocument('a', [text]), twin, createDocument('c', ['A cat.'])], false);
    const { hits } = await searchKnowledge(store, { collection: 'docs', query: 'cat', limit: 2 });
    expect(hits.map(({ documentId, duplicates }) => ({ documentId, duplicates }))).toEqual([
      { documentId: 'c', duplicates: [] },
      { documentId: 'a', duplicates: [{ chunkId: 'b#0', sourcePath: 'b.md' }] },
    ]);
  });

  it('continues with words when the embedder fails, with a notice', async () => {
    await fill(ANIMALS, true);
    const broken = { ...embedder, embed: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    const answer = await searchKnowledge(store, { collection: 'docs', query: 'cat', embedder: broken });
    expect(answer).toMatchObject({
      mode: 'words',
      notice: 'Only words were searched: the embedder topics failed: connect ECONNREFUSED',
      hits: [{ documentId: 'cat' }],
    });
  });

  it('does not wait for an embedder that never answers', async () => {
    await fill(ANIMALS, true);
    const silent: Embedder = {
      ...embedder,
      embed: (_, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
        }),
    };
    const answer = await searchKnowledge(store, { collection: 'docs', query: 'cat', embedder: silent, patience: 1 });
    expect(answer).toMatchObject({
      mode: 'words',
      notice: 'Only words were searched: the embedder topics failed: no answer in 0.001 s',
      hits: [{ documentId: 'cat' }],
    });
  });

  it('reports that vectors are unused without an embedder', async () => {
    await fill(ANIMALS, true);
    const answer = await searchKnowledge(store, { collection: 'docs', query: 'cat' });
    expect(answer).toMatchObject({ mode: 'words', hits: [{ documentId: 'cat' }] });
    expect(answer.notice).toMatch(
      /^Only words were searched: the collection "docs" has vectors of topics, .*reindex --collection docs$/,
    );
  });

  it('rejects another distance, and a dimension known only from the first vector', async () => {
    await fill(ANIMALS, true);
    const query = { collection: 'docs', query: 'cat', embedder };
    const wanted = { name: 'docs', dimension: undefined, distance: 'dot' as const };
    await expect(searchKnowledge(store, { ...query, wanted })).rejects.toThrow('Set embeddings_distance to Cosine');
    const other = { ...embedder, dimension: undefined, embed: async () => [new Float32Array(3)] };
    await expect(searchKnowledge(store, { ...query, embedder: other })).rejects.toThrow(
      'was created with topics (4 numbers, cosine), and the config asks for topics (3 numbers, cosine)',
    );
  });

  it("rejects another embedder than the collection's", async () => {
    await fill(ANIMALS, true);
    const query = { collection: 'docs', query: 'cat', embedder: { ...embedder, id: 'other' } };
    await expect(searchKnowledge(store, query)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('was created with topics (4 numbers, cosine), and the config asks for other'),
    });
  });

  it.each([
    [{ query: ' ' }, 'The query is empty. Say what to look for.'],
    [{ query: 'x'.repeat(4_001) }, 'The query has 4,001 characters; the most is 4,000. Ask for the main point.'],
    [{ query: 'x', limit: 0 }, 'The limit is a whole number from 1 to 100, not 0.'],
    [{ query: 'x', limit: 101 }, 'The limit is a whole number from 1 to 100, not 101.'],
    [{ query: 'x', collection: 'dcos' }, 'There is no collection "dcos". Known: docs.'],
  ])('refuses %j', async (change, message) => {
    await fill(ANIMALS, false);
    await expect(searchKnowledge(store, { collection: 'docs', ...change })).rejects.toThrow(message);
  });
});
