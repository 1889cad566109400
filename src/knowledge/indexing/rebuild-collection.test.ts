import { describe, expect, it } from 'vitest';
import { createTestEmbedder } from '../../vectors/test-embedder.ts';
import { otherWords } from '../stores/collection-errors.ts';
import { createMemoryStore } from '../stores/memory/memory-store.ts';
import type { EmbeddingSettings, KnowledgeDocument, VectorStore } from '../vector-store.ts';
import { rebuildCollection } from './rebuild-collection.ts';

const embedder = createTestEmbedder();
const wanted: EmbeddingSettings = { embedder: embedder.id, dimension: 256, distance: 'cosine' };

function document(id: string, sourcePath: string | undefined): KnowledgeDocument {
  const chunk = { text: `Text of ${id}`, headings: [], lines: undefined, embedding: undefined };
  return { id, sourcePath, contentHash: id, type: 'general', tags: ['kept'], stamp: undefined, chunks: [chunk] };
}

async function createStore(): Promise<VectorStore> {
  const store = createMemoryStore();
  await store.ensureCollection('docs', undefined);
  const notes = Array.from({ length: 250 }, (_, n) => document(`note:${n}`, n === 0 ? 'a.md' : undefined));
  await store.upsert('docs', [...notes, document('a.md', 'a.md')]);
  return store;
}

function rebuild(store: VectorStore): Promise<boolean> {
  const open = async (): Promise<{ store: VectorStore; collection: string; embedder: typeof embedder }> => {
    await store.ensureCollection('docs', wanted);
    return { store, collection: 'docs', embedder };
  };
  return rebuildCollection({ store, collection: 'docs', open, embedding: wanted });
}

describe('rebuildCollection', () => {
  it('keeps notes with new vectors and leaves files to the index run', async () => {
    const store = await createStore();
    expect(await rebuild(store)).toBe(true);
    expect(await store.collections()).toEqual([{ name: 'docs', embedding: wanted }]);
    expect(await store.stats('docs')).toMatchObject({ documents: 250, chunks: 250 });
    const [note] = await store.read('docs', { filter: { documentIds: ['note:0'] } });
    expect(note).toMatchObject({ sourcePath: 'a.md', tags: ['kept'], contentHash: 'note:0' });
    expect(note?.chunks[0]?.embedding).toHaveLength(256);
    expect(await rebuild(store)).toBe(false);
  });

  it('forgets nothing when the store takes no such vectors', async () => {
    const store = await createStore();
    const plain: VectorStore = new Proxy(store, {
      get: (target, key) => {
        // Each method is that of the store itself.
        const value: unknown = Reflect.get(target, key, target);
        if (key !== 'ensureCollection') return typeof value === 'function' ? value.bind(target) : value;
        return (name: string, embedding: EmbeddingSettings | undefined) =>
          embedding === undefined ? target.ensureCollection(name, embedding) : Promise.reject(new Error('no pgvector'));
      },
    });
    await expect(rebuild(plain)).rejects.toThrow('no pgvector');
    expect(await store.stats('docs')).toMatchObject({ documents: 251, embedding: undefined });
    expect(await store.collections()).toHaveLength(1);
  });

  it('makes a collection anew whose words were read by other rules', async () => {
    const store = await createStore();
    let isOld = true;
    const old: VectorStore = new Proxy(store, {
      get: (target, key) => {
        // Each method is that of the store itself.
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (name: string, ...rest: unknown[]) => {
          if (key === 'ensureCollection' && name === 'docs' && isOld) throw otherWords(name);
          if (key === 'dropCollection' && name === 'docs') isOld = false;
          return value.apply(target, [name, ...rest]);
        };
      },
    });
    const open = async (): Promise<{ store: VectorStore; collection: string; embedder: undefined }> => {
      await old.ensureCollection('docs', undefined);
      return { store: old, collection: 'docs', embedder: undefined };
    };
    const request = { store: old, collection: 'docs', open, embedding: undefined };
    expect(await rebuildCollection(request)).toBe(true);
    expect(await store.stats('docs')).toMatchObject({ documents: 250 });
    expect(await rebuildCollection(request)).toBe(false);
  });

  it.for(['upsert', 'dropCollection', 'ensureCollection'] as const)(
    'loses no note when every %s may be the last',
    async (method) => {
      for (let survived = 0; survived < 8; survived++) {
        const store = await createStore();
        let left = survived;
        const failing: VectorStore = new Proxy(store, {
          get: (target, key) => {
            // Each method is that of the store itself.
            const value: unknown = Reflect.get(target, key, target);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              if (key === method && left-- <= 0) throw new Error('killed');
              return value.apply(target, args);
            };
          },
        });
        await rebuild(failing).catch(() => {});
        await rebuild(store);
        expect(await store.stats('docs')).toMatchObject({ documents: 250, embedding: wanted });
        expect(await store.collections()).toHaveLength(1);
      }
    },
  );
});
