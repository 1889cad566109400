import { type ContractCheck, expectFailure, expectSame } from './contract.ts';
import { createDocument, createStoreChecks, findWords, type VectorStoreSubject } from './store-subject.ts';

const BAD_NAMES = [
  '',
  '../../etc/passwd',
  '/tmp/x',
  'a/b',
  'a b',
  '.hidden',
  'x'.repeat(129),
  `x'; drop table a; --`,
  'a\0b',
];

export function storeCollections(subject: VectorStoreSubject): ContractCheck[] {
  const using = createStoreChecks(subject);
  return [
    using('collections are created once and listed by name', async (store) => {
      expectSame(await store.ensureCollection('b', undefined), { name: 'b' });
      expectSame(await store.ensureCollection('a.2-x_Y', undefined), { name: 'a.2-x_Y' });
      await store.ensureCollection('b', undefined);
      expectSame(
        (await store.collections()).map(({ name }) => name),
        ['a.2-x_Y', 'b'],
      );
    }),
    using('collections are deleted with their contents', async (store) => {
      await store.ensureCollection('docs', undefined);
      await store.ensureCollection('other', undefined);
      await store.upsert('docs', [createDocument('a', ['red fox'])]);
      await store.upsert('other', [createDocument('a', ['red hen'])]);
      expectSame(await store.dropCollection('docs'), true);
      expectSame(await store.dropCollection('docs'), false);
      await store.ensureCollection('docs', undefined);
      expectSame(await findWords(store, 'red'), []);
      expectSame(await store.chunks('docs', ['a#0']), []);
      expectSame((await store.chunks('other', ['a#0']))[0]?.text, 'red hen');
    }),
    using('unknown collections are reported with the existing ones', async (store) => {
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
        await expectFailure(attempt, { code: 'not_found', says: ['dcos', 'docs', 'notes'] });
      }
    }),
    using('collections are renamed all at once, or not at all', async (store) => {
      // Renaming is optional.
      if (store.renameCollections === undefined) return;
      await store.ensureCollection('docs', undefined);
      await store.ensureCollection('next', undefined);
      await store.upsert('docs', [createDocument('old', ['red fox'])]);
      await store.upsert('next', [createDocument('new', ['red hen'])]);
      const names = async (): Promise<string[]> => (await store.collections()).map(({ name }) => name);
      const exchange = [
        { from: 'docs', to: 'before' },
        { from: 'next', to: 'docs' },
      ];
      await expectFailure(async () => store.renameCollections?.([...exchange, { from: 'dcos', to: 'x' }]), {
        code: 'not_found',
        says: ['dcos'],
      });
      await expectFailure(async () => store.renameCollections?.([{ from: 'docs', to: 'next' }]), {
        code: 'invalid_arguments',
        says: ['next'],
      });
      await expectFailure(async () => store.renameCollections?.([{ from: 'docs', to: '../x' }]), {
        code: 'invalid_arguments',
      });
      expectSame(await names(), ['docs', 'next']);
      expectSame(await findWords(store, 'red'), ['old#0']);
      await store.renameCollections(exchange);
      expectSame(await names(), ['before', 'docs']);
      expectSame(await findWords(store, 'red'), ['new#0']);
      await store.upsert('docs', [createDocument('more', ['red cat'])]);
      expectSame((await store.stats('docs')).documents, 2);
      expectSame(await store.dropCollection('before'), true);
      expectSame((await findWords(store, 'red')).toSorted(), ['more#0', 'new#0']);
    }),
    ...BAD_NAMES.map((bad) =>
      using(`collections cannot be named ${JSON.stringify(bad)}`, async (store) => {
        await expectFailure(() => store.ensureCollection(bad, undefined), { code: 'invalid_arguments' });
        const request = { by: 'words', text: 'x', limit: 1 } as const;
        await expectFailure(() => store.search(bad, request), { code: 'not_found' });
      }),
    ),
  ];
}
