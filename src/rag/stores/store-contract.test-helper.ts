import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VectorStore } from '../vector-store.ts';
import { createDocument } from './store-fixtures.test-helper.ts';
import { describeVectors } from './vector-contract.test-helper.ts';

/** How a driver is tried. */
export interface StoreContract {
  /** Opens a store that is empty. */
  open(): Promise<VectorStore>;
  /** Ends what `open` started. */
  clean?(): Promise<void>;
  /** Whether it keeps vectors; a PostgreSQL server without the extension does not. */
  readonly hasVectors?: boolean;
  /** Whether the average length of texts counts as it is; Qdrant weighs texts before it is known. */
  readonly hasExactLengths?: boolean;
}

/** Everything a store must do, whatever it is built on. */
export function describeStore(name: string, contract: StoreContract): void {
  const { hasVectors = true, hasExactLengths = true } = contract;
  describe(`${name} as a store`, () => {
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
      it('are made once and listed by name', async () => {
        expect(await store.ensureCollection('b', undefined)).toEqual({ name: 'b', embedding: undefined });
        expect(await store.ensureCollection('a.2-x_Y', undefined)).toEqual({ name: 'a.2-x_Y', embedding: undefined });
        await store.ensureCollection('b', undefined);
        expect((await store.collections()).map((collection) => collection.name)).toEqual(['a.2-x_Y', 'b']);
      });

      it('are forgotten with all they hold', async () => {
        await store.ensureCollection('docs', undefined);
        await store.ensureCollection('other', undefined);
        await store.upsert('docs', [createDocument('a', ['red fox'])]);
        await store.upsert('other', [createDocument('a', ['red hen'])]);
        expect(await store.dropCollection('docs')).toBe(true);
        expect(await store.dropCollection('docs')).toBe(false);
        await store.ensureCollection('docs', undefined);
        expect(await words('red')).toEqual([]);
        expect(await store.chunks('docs', ['a#0'])).toEqual([]);
        expect((await store.chunks('other', ['a#0']))[0]?.text).toBe('red hen');
      });

      it('that are not there are named with those that are', async () => {
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

      it('come back as they were given', async () => {
        const document = createDocument('docs/ä b#1.md', ['First part.', 'Second 🦊 part.'], {
          type: 'api',
          tags: ['x', "it's"],
          sourcePath: 'docs/ä b.md',
          stamp: '12 34',
        });
        const chunks = document.chunks.map((chunk, place) => ({
          ...chunk,
          headings: ['Guide', `Part ${place}`],
          lines: { from: place * 10 + 1, to: place * 10 + 9 },
        }));
        await store.upsert('docs', [{ ...document, chunks }]);
        expect(await store.read('docs')).toEqual([{ ...document, chunks }]);
        expect(await store.chunks('docs', ['docs/ä b#1.md#1', 'docs/ä b#1.md#7', 'nothing#0', 'nothing'])).toEqual([
          {
            id: 'docs/ä b#1.md#1',
            documentId: 'docs/ä b#1.md',
            position: 1,
            text: 'Second 🦊 part.',
            headings: ['Guide', 'Part 1'],
            lines: { from: 11, to: 19 },
            contentHash: document.contentHash,
            type: 'api',
            tags: ['x', "it's"],
            sourcePath: 'docs/ä b.md',
          },
        ]);
        expect(await store.documents('docs')).toEqual([
          {
            id: 'docs/ä b#1.md',
            contentHash: document.contentHash,
            type: 'api',
            tags: ['x', "it's"],
            sourcePath: 'docs/ä b.md',
            stamp: '12 34',
            chunkCount: 2,
          },
        ]);
      });

      it('take the place of those with their ids', async () => {
        await store.upsert('docs', [
          createDocument('a', ['old fox', 'old hen', 'old cow']),
          createDocument('b', ['fox']),
        ]);
        await store.upsert('docs', [createDocument('a', ['new fox'])]);
        expect(await words('old hen cow')).toEqual([]);
        expect((await words('fox')).toSorted()).toEqual(['a#0', 'b#0']);
        expect(await store.chunks('docs', ['a#1'])).toEqual([]);
        expect(await store.stats('docs')).toMatchObject({ name: 'docs', documents: 2, chunks: 2 });
      });

      it('are listed in pages by id', async () => {
        const ids = ['a', 'a/b', 'B', 'c', 'ä', '🦊'];
        await store.upsert(
          'docs',
          ids.map((id) => createDocument(id, ['x'])),
        );
        const listed: string[] = [];
        for (;;) {
          const page = await store.documents('docs', { after: listed.at(-1), limit: 4 });
          listed.push(...page.map(({ id }) => id));
          if (page.length < 4) break;
        }
        expect(listed.toSorted()).toEqual(ids.toSorted());
        expect(new Set(listed).size).toBe(ids.length);
      });

      it('are forgotten by filter', async () => {
        await store.upsert('docs', [
          createDocument('a', ['fox'], { tags: ['x', 'y'], sourcePath: 'src/a.ts' }),
          createDocument('b', ['fox'], { tags: ['x'], sourcePath: 'src/b.ts' }),
          createDocument('c', ['fox']),
        ]);
        expect(await store.delete('docs', { tags: ['x', 'y'] })).toBe(1);
        expect((await words('fox')).toSorted()).toEqual(['b#0', 'c#0']);
        expect(await store.delete('docs', { documentIds: ['c', 'nothing'] })).toBe(1);
        expect(await store.delete('docs', { sourcePath: 'lib/' })).toBe(0);
        expect(await store.delete('docs', {})).toBe(1);
        expect(await store.stats('docs')).toMatchObject({ documents: 0, chunks: 0 });
        expect(await words('fox')).toEqual([]);
      });

      it('are all kept or none', async () => {
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

      it('may have ids, paths, types and tags as long as any driver takes', async () => {
        const [id, sourcePath, type, tag] = ['ä', 'ö', 'ü', 'ß'].map((letter) => letter.repeat(1_000));
        await store.upsert('docs', [
          createDocument(id ?? '', ['fox'], { sourcePath, type: type ?? '', tags: [tag ?? ''] }),
        ]);
        const filter = { sourcePath, type, tags: [tag ?? ''] };
        expect(await store.search('docs', { by: 'words', text: 'fox', filter, limit: 1 })).toHaveLength(1);
      });

      it('are refused twice in one call', async () => {
        const documents = [createDocument('a', ['x']), createDocument('a', ['y'])];
        await expect(store.upsert('docs', documents)).rejects.toThrow('is given twice in one call');
      });

      it('may have the longest text and any characters', async () => {
        const text = `${'wort ß 漢字 \u{1f98a} \ud800 \u0000 '.repeat(4_000)}needle`.slice(-100_000);
        await store.upsert('docs', [createDocument('a', [text])]);
        expect(await words('needle')).toEqual(['a#0']);
        expect(await words('漢字')).toEqual(['a#0']);
        const [chunk] = await store.chunks('docs', ['a#0']);
        expect(chunk?.text.slice(-6)).toBe('needle');
        expect(chunk?.text.length).toBe(text.length);
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

      it('are found in any form and case', async () => {
        expect((await words('LION')).toSorted()).toEqual(['often#0', 'rare#0', 'short#0']);
        expect(await words('json')).toEqual(['code#0']);
        expect(await words('parseJsonText')).toEqual(['code#0']);
      });

      it('rank by BM25: rare ones first, often and in short texts before once and in long ones', async () => {
        expect(await words('lion')).toEqual(['often#0', 'short#0', 'rare#0']);
        expect((await words('walrus lion'))[0]).toBe('rare#0');
        const scores = (await store.search('docs', { by: 'words', text: 'lions', limit: 5 })).map(({ score }) => score);
        const [score = 0] = scores;
        expect(hasExactLengths ? score : 0.61083).toBeCloseTo(0.61083, 4);
      });

      it('count twice when they are asked for twice', async () => {
        const scoreOf = async (text: string): Promise<number> =>
          (await store.search('docs', { by: 'words', text, limit: 1 }))[0]?.score ?? 0;
        expect(await scoreOf('walrus walrus')).toBeCloseTo(2 * (await scoreOf('walrus')), 4);
      });

      it('that say nothing find nothing', async () => {
        expect(await words('')).toEqual([]);
        expect(await words('the a of')).toEqual([]);
        expect(await words(`'"; drop table documents; -- % _ * ( ) : ^ \\`)).toEqual([]);
        expect(await words('unknownword')).toEqual([]);
      });

      it('are weighed again when documents come and go', async () => {
        await store.delete('docs', { documentIds: ['often', 'short'] });
        await store.upsert('docs', [createDocument('walrus', ['walrus']), createDocument('walrus 2', ['walrus'])]);
        expect((await words('walrus lion'))[0]).toBe('rare#0');
        expect((await words('walrus')).toSorted()).toEqual(['rare#0', 'walrus 2#0', 'walrus#0']);
      });

      it('give as many as the limit allows', async () => {
        expect(await words('lion', 2)).toEqual(['often#0', 'short#0']);
        expect(await words('lion', 1_000)).toHaveLength(3);
        for (const limit of [0, -1, 1.5, Number.NaN, 1_001, Number.MAX_SAFE_INTEGER]) {
          await expect(words('lion', limit)).rejects.toMatchObject({
            code: 'invalid_arguments',
            message: `A limit is a whole number from 1 to 1000, not ${limit}.`,
          });
        }
      });

      it('stop when the caller has gone', async () => {
        const request = { by: 'words', text: 'lion', limit: 1, signal: AbortSignal.abort(new Error('gone')) } as const;
        await expect(store.search('docs', request)).rejects.toThrow('gone');
      });
    });

    describe('filters', () => {
      const find = async (filter: object): Promise<string[]> =>
        (await store.search('docs', { by: 'words', text: 'fox', filter, limit: 1_000 }))
          .map(({ chunkId }) => chunkId.slice(0, -2))
          .toSorted();
      beforeEach(async () => {
        await store.ensureCollection('docs', undefined);
        await store.upsert('docs', [
          createDocument('1', ['fox fox fox fox'], { sourcePath: 'src/a.ts', type: 'api', tags: ['x'] }),
          createDocument('2', ['fox fox'], { sourcePath: 'src/deep/b.ts', type: 'api', tags: ['x', 'y'] }),
          createDocument('3', ['the fox, once'], { sourcePath: 'src%_/a.ts', type: 'general', tags: ['y', 'X'] }),
          createDocument('4', ['a fox in a long text about other animals'], {
            sourcePath: 'docs/a.md',
            type: `o'brien`,
          }),
          createDocument('5', ['fox']),
        ]);
      });

      it.each([
        ['a type', { type: 'api' }, ['1', '2']],
        ['a type with a quote', { type: `o'brien` }, ['4']],
        ['a type that is SQL', { type: `' or '1'='1` }, []],
        ['a tag', { tags: ['y'] }, ['2', '3']],
        ['all tags', { tags: ['x', 'y'] }, ['2']],
        ['tags in their own case', { tags: ['X'] }, ['3']],
        ['no tags', { tags: [] }, ['1', '2', '3', '4', '5']],
        ['a path', { sourcePath: 'src/a.ts' }, ['1']],
        ['a folder', { sourcePath: 'src/' }, ['1', '2']],
        ['a folder with signs of SQL', { sourcePath: 'src%_/' }, ['3']],
        ['a pattern', { sourcePath: 'src/*.ts' }, ['1']],
        ['a deep pattern', { sourcePath: 'src/**/*.ts' }, ['1', '2']],
        ['a pattern at the front', { sourcePath: '**/a.*' }, ['1', '3', '4']],
        ['a pattern of one character', { sourcePath: 'docs/?.md' }, ['4']],
        ['a pattern with a quote', { sourcePath: `*'*` }, []],
        ['a costly pattern', { sourcePath: `${'**a*'.repeat(40)}b` }, []],
        ['documents', { documentIds: ['5', '1', 'nothing', `'`] }, ['1', '5']],
        ['no documents', { documentIds: [] }, []],
        ['several things', { type: 'api', tags: ['x'], sourcePath: 'src/**' }, ['1', '2']],
        ['nothing', {}, ['1', '2', '3', '4', '5']],
      ])('mean %s', async (_, filter, ids) => {
        expect(await find(filter)).toEqual(ids);
      });

      it('are applied before the limit', async () => {
        const request = { by: 'words', text: 'fox', filter: { sourcePath: 'docs/' }, limit: 1 } as const;
        expect(await store.search('docs', request)).toHaveLength(1);
        const page = await store.documents('docs', { filter: { sourcePath: '**/a.*' }, limit: 2 });
        const rest = await store.documents('docs', { filter: { sourcePath: '**/a.*' }, after: page.at(-1)?.id });
        expect(page).toHaveLength(2);
        expect([...page, ...rest].map(({ id }) => id).toSorted()).toEqual(['1', '3', '4']);
      });
    });

    it('scores chunks that are named, as it would among all', async () => {
      await store.ensureCollection('docs', undefined);
      await store.upsert('docs', [createDocument('a', ['fox', 'fox and hen', 'hen']), createDocument('b', ['fox'])]);
      const all = await store.search('docs', { by: 'words', text: 'fox', limit: 10 });
      const among = ['a#1', 'b#0', 'a#2', 'c#0', `'`, 'a#99'];
      const some = await store.search('docs', { by: 'words', text: 'fox', among, limit: 10 });
      expect(some).toEqual(all.filter(({ chunkId }) => among.includes(chunkId)));
      expect(some).toHaveLength(2);
      expect(await store.search('docs', { by: 'words', text: 'fox', among: [], limit: 10 })).toEqual([]);
    });

    it('gives answers while documents are deleted and stored', async () => {
      await store.ensureCollection('docs', undefined);
      await store.upsert(
        'docs',
        Array.from({ length: 50 }, (_, n) => createDocument(`${n}`, [`fox ${n}`])),
      );
      const changes = Array.from({ length: 25 }, async (_, n) => {
        await store.delete('docs', { documentIds: [`${n}`] });
        await store.upsert('docs', [createDocument(`new ${n}`, ['fox'])]);
      });
      const answers = await Promise.all(Array.from({ length: 20 }, () => words('fox', 1_000)));
      await Promise.all(changes);
      for (const answer of answers) expect(answer.length).toBeGreaterThan(24);
      expect(await words('fox', 1_000)).toHaveLength(50);
    });

    if (hasVectors) describeVectors(() => store);
  });
}
