import type { DocumentFilter } from '../../knowledge/vector-store.ts';
import { type ContractCheck, expectFailure, expectSame, expectStopped, expectTrue } from './contract.ts';
import { createDocument, createStoreChecks, find, findWords, type VectorStoreSubject } from './store-subject.ts';

/** BM25 of "lions" in the shortest text that repeats it, with k1 1.2 and b 0.75. */
const BEST_SCORE = 0.61083;

export function storeWords(subject: VectorStoreSubject): ContractCheck[] {
  const using = createStoreChecks(subject, async (store) => {
    await store.ensureCollection('docs', undefined);
    await store.upsert('docs', [
      createDocument('rare', ['a walrus and many other animals live in this zoo, among them lions and bears']),
      createDocument('short', ['lions and bears']),
      createDocument('often', ['lions, lions, lions and bears']),
      createDocument('code', ['function parseJsonText(text) { return JSON.parse(text); }']),
    ]);
  });
  return [
    using('words are found in any form and case', async (store) => {
      expectSame((await findWords(store, 'LION')).toSorted(), ['often#0', 'rare#0', 'short#0']);
      expectSame(await findWords(store, 'json'), ['code#0']);
      expectSame(await findWords(store, 'parseJsonText'), ['code#0']);
    }),
    using(
      'words rank by BM25: rare before common, repeated before single, short texts before long ones',
      async (store) => {
        expectSame(await findWords(store, 'lion'), ['often#0', 'short#0', 'rare#0']);
        expectSame((await findWords(store, 'walrus lion'))[0], 'rare#0');
        const [best] = await store.search('docs', { by: 'words', text: 'lions', limit: 5 });
        const difference = Math.abs((best?.score ?? 0) - BEST_SCORE);
        expectTrue(subject.hasExactLengths === false || difference < 5e-5, `scores ${best?.score}, not ${BEST_SCORE}`);
      },
    ),
    using('words count twice if they are repeated in the query', async (store) => {
      const scoreOf = async (text: string): Promise<number> =>
        (await store.search('docs', { by: 'words', text, limit: 1 }))[0]?.score ?? 0;
      const [twice, once] = [await scoreOf('walrus walrus'), await scoreOf('walrus')];
      expectTrue(once > 0 && Math.abs(twice - 2 * once) < 5e-5, `twice ${twice}, once ${once}`);
    }),
    using('stop words and unknown words find nothing', async (store) => {
      for (const text of ['', 'the a of', `'"; drop table documents; -- % _ * ( ) : ^ \\`, 'unknownword']) {
        expectSame(await findWords(store, text), [], JSON.stringify(text));
      }
    }),
    using('words are weighed again when documents are added and removed', async (store) => {
      await store.delete('docs', { documentIds: ['often', 'short'] });
      await store.upsert('docs', [createDocument('walrus', ['walrus']), createDocument('walrus 2', ['walrus'])]);
      expectSame((await findWords(store, 'walrus lion'))[0], 'rare#0');
      expectSame((await findWords(store, 'walrus')).toSorted(), ['rare#0', 'walrus 2#0', 'walrus#0']);
    }),
    using('a search respects its limit', async (store) => {
      expectSame(await findWords(store, 'lion', 2), ['often#0', 'short#0']);
      expectSame((await findWords(store, 'lion', 1_000)).length, 3);
      for (const limit of [0, -1, 1.5, Number.NaN, 1_001, Number.MAX_SAFE_INTEGER]) {
        await expectFailure(() => findWords(store, 'lion', limit), { code: 'invalid_arguments', says: [`${limit}`] });
      }
    }),
    using('a search stops when the caller cancels', (store) =>
      expectStopped((signal) => find(store, { by: 'words', text: 'lion', limit: 1, signal })),
    ),
    using('a search among given chunks scores them as among all', async (store) => {
      await store.upsert('docs', [createDocument('a', ['fox', 'fox and hen', 'hen']), createDocument('b', ['fox'])]);
      const all = await store.search('docs', { by: 'words', text: 'fox', limit: 10 });
      const among = ['a#1', 'b#0', 'a#2', 'c#0', `'`, 'a#99'];
      const some = await store.search('docs', { by: 'words', text: 'fox', among, limit: 10 });
      expectSame(
        some,
        all.filter(({ chunkId }) => among.includes(chunkId)),
      );
      expectSame(some.length, 2);
      expectSame(await store.search('docs', { by: 'words', text: 'fox', among: [], limit: 10 }), []);
    }),
    using('searches work while documents are deleted and stored', async (store) => {
      await store.upsert(
        'docs',
        Array.from({ length: 50 }, (_, n) => createDocument(`${n}`, [`fox ${n}`])),
      );
      const changes = Array.from({ length: 25 }, async (_, n) => {
        await store.delete('docs', { documentIds: [`${n}`] });
        await store.upsert('docs', [createDocument(`new ${n}`, ['fox'])]);
      });
      const answers = await Promise.all(Array.from({ length: 20 }, () => findWords(store, 'fox', 1_000)));
      await Promise.all(changes);
      for (const answer of answers) expectTrue(answer.length > 24, `${answer.length} found`);
      expectSame((await findWords(store, 'fox', 1_000)).length, 50);
    }),
  ];
}

const FILTERS: readonly (readonly [what: string, filter: DocumentFilter, ids: readonly string[]])[] = [
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
];

export function storeFilters(subject: VectorStoreSubject): ContractCheck[] {
  const using = createStoreChecks(subject, async (store) => {
    await store.ensureCollection('docs', undefined);
    await store.upsert('docs', [
      createDocument('1', ['fox fox fox fox'], { sourcePath: 'src/a.ts', type: 'api', tags: ['x'] }),
      createDocument('2', ['fox fox'], { sourcePath: 'src/deep/b.ts', type: 'api', tags: ['x', 'y'] }),
      createDocument('3', ['the fox, once'], { sourcePath: 'src%_/a.ts', type: 'general', tags: ['y', 'X'] }),
      createDocument('4', ['a fox in a long text about other animals'], { sourcePath: 'docs/a.md', type: `o'brien` }),
      createDocument('5', ['fox']),
    ]);
  });
  return [
    ...FILTERS.map(([what, filter, ids]) =>
      using(`filters select ${what}`, async (store) => {
        const found = await find(store, { by: 'words', text: 'fox', filter, limit: 1_000 });
        expectSame(found.map((chunk) => chunk.slice(0, -2)).toSorted(), ids);
      }),
    ),
    using('filters are applied before the limit', async (store) => {
      const request = { by: 'words', text: 'fox', filter: { sourcePath: 'docs/' }, limit: 1 } as const;
      expectSame((await store.search('docs', request)).length, 1);
      const filter = { sourcePath: '**/a.*' };
      const page = await store.documents('docs', { filter, limit: 2 });
      const rest = await store.documents('docs', { filter, after: page.at(-1)?.id });
      expectSame(page.length, 2);
      expectSame([...page, ...rest].map(({ id }) => id).toSorted(), ['1', '3', '4']);
    }),
  ];
}
