import { describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../../vectors/test-embedder.ts';
import { otherWords } from '../../stores/check-input.ts';
import { createMemoryStore } from '../../stores/sqlite/sqlite-store.ts';
import type { EmbeddingSettings, KnowledgeDocument, VectorStore } from '../../vector-store.ts';
import type { WriteTarget } from '../batch-writer.ts';
import { CollectionBuild } from './collection-build.ts';
import { writeDocuments } from '../batch-writer.ts';
import { withoutVectors } from './settle-replaced.ts';

const embedder = createTestEmbedder();
const wanted: EmbeddingSettings = { embedder: embedder.id, dimension: 256, distance: 'cosine' };

function document(id: string, sourcePath: string | undefined, tags = ['kept']): KnowledgeDocument {
  const chunk = { text: `Text of ${id}`, headings: [], lines: undefined, embedding: undefined };
  return { id, sourcePath, contentHash: id, type: 'general', tags, stamp: undefined, chunks: [chunk] };
}

async function createStore(): Promise<VectorStore> {
  const store = createMemoryStore();
  await store.ensureCollection('docs', undefined);
  const notes = Array.from({ length: 250 }, (_, n) => document(`note:${n}`, n === 0 ? 'a.md' : undefined));
  await store.upsert('docs', [...notes, document('a.md', 'a.md'), document('gone.md', 'gone.md')]);
  await store.upsert('docs', [document('other/b.md', 'other/b.md')]);
  return store;
}

/** Wraps a store with some methods replaced. */
function change(store: VectorStore, changes: Readonly<Record<string, unknown>>): VectorStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (typeof key === 'string' && Object.hasOwn(changes, key)) return changes[key];
      // Each method is that of the store itself.
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function request(
  store: VectorStore,
  embedding: EmbeddingSettings | undefined = wanted,
): Parameters<typeof CollectionBuild.begin>[0] {
  const open = async (collection: string): Promise<WriteTarget> => {
    await store.ensureCollection(collection, embedding);
    return { store, collection, embedding, embedder: embedding === undefined ? undefined : embedder };
  };
  return { store, collection: 'docs', open, embedding };
}

/** Rebuilds with one file, `a.md`; `gone.md` was indexed before and no longer exists, `other/` belongs to others. */
async function rebuild(store: VectorStore): Promise<number | undefined> {
  const build = await CollectionBuild.begin(request(store));
  if (build === undefined) return undefined;
  await writeDocuments(build.target, [withoutVectors(document('a.md', 'a.md', ['new']))]);
  return (await build.finish((path) => !path.startsWith('other/'))).removed;
}

const without = { renameCollections: undefined };

describe.each([
  ['that renames', (store: VectorStore) => store],
  ['that cannot rename', (store: VectorStore) => change(store, without)],
])('CollectionBuild in a store %s', (_, adapt) => {
  it('keeps notes and the documents of other files with new vectors, and drops those of removed files', async () => {
    const store = adapt(await createStore());
    expect(await rebuild(store)).toBe(1);
    expect(await store.collections()).toEqual([{ name: 'docs', embedding: wanted }]);
    expect(await store.stats('docs')).toMatchObject({ documents: 252, chunks: 252 });
    const documents = await store.read('docs', { filter: { documentIds: ['note:0', 'a.md', 'other/b.md'] } });
    expect(documents.map(({ id, tags, sourcePath }) => [id, tags, sourcePath])).toEqual([
      ['a.md', ['new'], 'a.md'],
      ['note:0', ['kept'], 'a.md'],
      ['other/b.md', ['kept'], 'other/b.md'],
    ]);
    expect(documents.every(({ chunks }) => chunks[0]?.embedding?.length === 256)).toBe(true);
  });

  it('leaves the collection unchanged until it is finished, and continues after an interruption', async () => {
    const store = adapt(await createStore());
    const first = await CollectionBuild.begin(request(store));
    await writeDocuments(first?.target ?? expect.fail(), [withoutVectors(document('a.md', 'a.md'))]);
    expect(await store.stats('docs')).toMatchObject({ documents: 253, embedding: undefined });
    const second = await CollectionBuild.begin(request(store));
    expect(second?.resumed).toBe(1);
    const other = await CollectionBuild.begin(request(store, { ...wanted, distance: 'dot' }));
    expect(other?.resumed).toBe(0);
  });

  it('starts no build if there is nothing to replace', async () => {
    const store = adapt(createMemoryStore());
    expect(await CollectionBuild.begin(request(store))).toBeUndefined();
    expect(await store.collections()).toEqual([]);
  });

  it('loses nothing if the store rejects the vectors', async () => {
    const store = await createStore();
    const plain = change(adapt(store), {
      ensureCollection: (name: string, embedding: EmbeddingSettings | undefined) =>
        embedding === undefined ? store.ensureCollection(name, embedding) : Promise.reject(new Error('no pgvector')),
    });
    await expect(rebuild(plain)).rejects.toThrow('no pgvector');
    expect(await store.stats('docs')).toMatchObject({ documents: 253, embedding: undefined });
    expect(await store.collections()).toHaveLength(1);
  });

  it('keeps notes stored during the build, up to the last moment', async () => {
    const store = adapt(await createStore());
    let late = 0;
    // Another process stores a note whenever a page is read.
    const busy = change(store, {
      documents: async (...args: Parameters<VectorStore['documents']>) => {
        const page = await store.documents(...args);
        const { embedding } = (await store.collections()).find(({ name }) => name === 'docs') ?? expect.fail();
        if (embedding === undefined && late < 5) await store.upsert('docs', [document(`late:${late++}`, undefined)]);
        return page;
      },
    });
    await rebuild(busy);
    expect(late).toBe(5);
    expect(await store.stats('docs')).toMatchObject({ documents: 257 });
  });

  it.for(['upsert', 'dropCollection', 'ensureCollection', 'renameCollections', 'delete'] as const)(
    'loses no note when every %s may be the last',
    async (method) => {
      for (let survived = 0; survived < 8; survived++) {
        const store = adapt(await createStore());
        // Each method is that of the store itself.
        const works = Reflect.get(store, method) as ((...args: unknown[]) => unknown) | undefined;
        let left = survived;
        const failing = change(store, {
          [method]:
            works &&
            ((...args: unknown[]) => {
              if (left-- <= 0) throw new Error('killed');
              return works.apply(store, args);
            }),
        });
        await rebuild(failing).catch(() => {});
        await rebuild(store);
        expect(await store.stats('docs')).toMatchObject({ documents: 252, embedding: wanted });
        expect(await store.collections()).toHaveLength(1);
      }
    },
  );

  it('rebuilds a collection whose words were read by other rules', async () => {
    const store = adapt(await createStore());
    let isOld = true;
    const old = change(store, {
      ensureCollection: (name: string, embedding: EmbeddingSettings | undefined) => {
        if (name === 'docs' && isOld) throw otherWords(name);
        return store.ensureCollection(name, embedding);
      },
      dropCollection: (name: string) => {
        if (name === 'docs') isOld = false;
        return store.dropCollection(name);
      },
    });
    const build = await CollectionBuild.begin(request(old, undefined));
    await build?.finish(() => true);
    expect(await store.stats('docs')).toMatchObject({ documents: 250 });
  });

  it('reports that another process has finished the same build', async () => {
    const store = adapt(await createStore());
    const [first, second] = [await CollectionBuild.begin(request(store)), await CollectionBuild.begin(request(store))];
    await first?.finish(() => true);
    await expect(second?.finish(() => true)).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringMatching(/^Another process rebuilt the collection "docs" or cleared it/),
    });
    expect(await store.stats('docs')).toMatchObject({ documents: 250 });
  });
});

it('rejects a note with vectors of the old embedder after the exchange', async () => {
  const store = await createStore();
  await rebuild(store);
  const vector = new Float32Array(256).fill(1);
  const note = {
    ...document('x', undefined),
    chunks: [{ text: 'x', headings: [], lines: undefined, embedding: vector }],
  };
  const upsert = store.upsert('docs', [note], { embedding: { ...wanted, embedder: 'other' } });
  await expect(upsert).rejects.toMatchObject({ code: 'invalid_arguments', reason: 'another embedder' });
});
