import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VectorStore } from '../vector-store.ts';
import type { VectorStoreSubject } from '../../testing/contracts/store-subject.ts';
import { testContract } from '../../testing/contracts/test-contract.test-helper.ts';
import { vectorStoreContract } from '../../testing/contracts/vector-store-contract.ts';
import { createDocument } from './store-fixtures.test-helper.ts';
import { describeVectors } from './vector-contract.test-helper.ts';

/** Runs the contract of all stores, and checks the messages of the built-in ones. */
export function describeStore(name: string, contract: VectorStoreSubject): void {
  describe(`${name} as a store`, () => {
    testContract(vectorStoreContract(contract));
  });

  describe(`what ${name} says`, () => {
    let store: VectorStore;
    beforeEach(async () => {
      store = await contract.open();
    });
    afterEach(async () => {
      await store.close();
      await contract.clean?.();
    });

    const words = async (text: string, limit = 10): Promise<string[]> =>
      (await store.search('docs', { by: 'words', text, limit })).map(({ chunkId }) => chunkId);

    describe('collections', () => {
      it('with unknown names are reported with the existing ones', async () => {
        await store.ensureCollection('docs', undefined);
        await store.ensureCollection('notes', undefined);
        for (const attempt of [
          () => store.search('dcos', { by: 'words', text: 'x', limit: 1 }),
          () => store.upsert('dcos', [createDocument('a', ['x'])]),
          () => store.delete('dcos', {}),
          () => store.stats('dcos'),
          () => store.documents('dcos'),
          () => store.read('dcos'),
          () => store.chunks('dcos', ['a#0']),
        ]) {
          await expect(attempt()).rejects.toMatchObject({
            code: 'not_found',
            message: 'There is no collection "dcos". Known: docs, notes.',
          });
        }
      });

      it.each([
        '',
        '../../etc/passwd',
        '/tmp/x',
        'a/b',
        'a b',
        '.hidden',
        'x'.repeat(129),
        `x'; drop table a; --`,
        'a\0b',
      ])('cannot be named %j', async (bad) => {
        await expect(store.ensureCollection(bad, undefined)).rejects.toMatchObject({
          code: 'invalid_arguments',
          message: expect.stringContaining('use 1 to 128 letters, digits, "_", "." and "-"'),
        });
        await expect(store.search(bad, { by: 'words', text: 'x', limit: 1 })).rejects.toMatchObject({
          code: 'not_found',
        });
      });
    });

    describe('documents', () => {
      beforeEach(() => store.ensureCollection('docs', undefined));

      it('count twice for a word that is asked for twice, and half for one that only wraps the question', async () => {
        await store.upsert('docs', [
          createDocument('a', ['fox']),
          createDocument('b', ['show']),
          createDocument('c', ['hen']),
        ]);
        const hits = await store.search('docs', { by: 'words', text: 'show me the fox, hen and hen', limit: 3 });
        const [hen = 0, fox = 0, show = 0] = hits.map(({ score }) => score);
        expect(hits.map(({ chunkId }) => chunkId)).toEqual(['c#0', 'a#0', 'b#0']);
        expect([hen / fox, show / fox]).toEqual([expect.closeTo(2), expect.closeTo(0.5)]);
      });

      it('are stored completely or not at all', async () => {
        const good = createDocument('good', ['fox']);
        const bad = createDocument('bad', ['fox', ' \n']);
        await expect(store.upsert('docs', [good, bad])).rejects.toMatchObject({
          code: 'invalid_arguments',
          message: 'Document "bad" in collection "docs", chunk 1 has no text. Leave empty chunks out.',
        });
        expect(await words('fox')).toEqual([]);
        await store.upsert('docs', []);
        expect((await store.stats('docs')).documents).toBe(0);
      });

      it.each([
        ['without chunks', createDocument('a', []), 'has no chunks'],
        ['with a huge chunk', createDocument('a', ['x'.repeat(100_001)]), 'Cut it into smaller chunks'],
        ['without an id', createDocument('', ['x']), 'an id is not empty and has no NUL'],
        ['with a vector', createDocument('a', [{ text: 'x', embedding: [1, 0, 0, 0] }]), 'has no embedder'],
        ['with an endless id', createDocument('x'.repeat(2_001), ['x']), 'id has 2001 bytes; the most is 2000'],
        ['with an endless tag', createDocument('a', ['x'], { tags: ['ü'.repeat(1_001)] }), 'tags has 2002 bytes'],
      ])('are refused %s', async (_, document, message) => {
        await expect(store.upsert('docs', [document])).rejects.toMatchObject({
          code: 'invalid_arguments',
          message: expect.stringContaining(message),
        });
      });

      it('are rejected twice in one call', async () => {
        const documents = [createDocument('a', ['x']), createDocument('a', ['y'])];
        await expect(store.upsert('docs', documents)).rejects.toThrow('is given twice in one call');
      });
    });

    describe('words', () => {
      beforeEach(async () => {
        await store.ensureCollection('docs', undefined);
        await store.upsert('docs', [
          createDocument('rare', ['a walrus and many other animals live in this zoo, among them lions and bears']),
          createDocument('short', ['lions and bears']),
          createDocument('often', ['lions, lions, lions and bears']),
          createDocument('code', ['function parseJsonText(text) { return JSON.parse(text); }']),
        ]);
      });

      it('are returned up to the limit', async () => {
        for (const limit of [0, -1, 1.5, Number.NaN, 1_001, Number.MAX_SAFE_INTEGER]) {
          await expect(words('lion', limit)).rejects.toMatchObject({
            code: 'invalid_arguments',
            message: `A limit is a whole number from 1 to 1000, not ${limit}.`,
          });
        }
      });
    });

    if (contract.hasVectors !== false) describeVectors(() => store);
  });
}
