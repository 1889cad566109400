import { type ContractCheck, expectFailure, expectSame } from './contract.ts';
import { storeFilters, storeWords } from './store-searches.ts';
import { createDocument, createStoreChecks, findWords, type VectorStoreSubject } from './store-subject.ts';
import { storeVectors } from './store-vectors.ts';
import type { KnowledgeDocument } from '../../knowledge/vector-store.ts';

/** Returns the checks that every vector store must pass. Failures are tested by code and by the values they name. */
export function vectorStoreContract(subject: VectorStoreSubject): ContractCheck[] {
  return [
    ...storeCollections(subject),
    ...storeDocuments(subject),
    ...storeWords(subject),
    ...storeFilters(subject),
    ...(subject.hasVectors === false ? [] : storeVectors(subject)),
  ];
}

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

function storeCollections(subject: VectorStoreSubject): ContractCheck[] {
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

const REFUSED: readonly (readonly [what: string, document: KnowledgeDocument])[] = [
  ['without chunks', createDocument('a', [])],
  ['with a huge chunk', createDocument('a', ['x'.repeat(100_001)])],
  ['without an id', createDocument('', ['x'])],
  ['with a vector where there is no embedder', createDocument('a', [{ text: 'x', embedding: [1, 0, 0, 0] }])],
  ['with an endless id', createDocument('x'.repeat(2_001), ['x'])],
  ['with an endless tag', createDocument('a', ['x'], { tags: ['ü'.repeat(1_001)] })],
];

function storeDocuments(subject: VectorStoreSubject): ContractCheck[] {
  const using = createStoreChecks(subject, (store) => store.ensureCollection('docs', undefined));
  return [
    using('documents are returned as they were stored', async (store) => {
      const facts = { type: 'api', tags: ['x', "it's"], sourcePath: 'docs/ä b.md' };
      const given = createDocument('docs/ä b#1.md', ['First part.', 'Second 🦊 part.'], { ...facts, stamp: '12 34' });
      const chunks = given.chunks.map((chunk, place) => ({
        ...chunk,
        headings: ['Guide', `Part ${place}`],
        lines: { from: place * 10 + 1, to: place * 10 + 9 },
      }));
      const { id, contentHash } = given;
      await store.upsert('docs', [{ ...given, chunks }]);
      expectSame(await store.read('docs'), [{ ...given, chunks }]);
      expectSame(await store.chunks('docs', [`${id}#1`, `${id}#7`, 'nothing#0', 'nothing']), [
        {
          id: `${id}#1`,
          documentId: id,
          position: 1,
          text: 'Second 🦊 part.',
          headings: ['Guide', 'Part 1'],
          lines: { from: 11, to: 19 },
          contentHash,
          ...facts,
        },
      ]);
      expectSame(await store.documents('docs'), [{ id, contentHash, ...facts, stamp: '12 34', chunkCount: 2 }]);
    }),
    using('documents replace those with the same ids', async (store) => {
      await store.upsert('docs', [
        createDocument('a', ['old fox', 'old hen', 'old cow']),
        createDocument('b', ['fox']),
      ]);
      await store.upsert('docs', [createDocument('a', ['new fox'])]);
      expectSame(await findWords(store, 'old hen cow'), []);
      expectSame((await findWords(store, 'fox')).toSorted(), ['a#0', 'b#0']);
      expectSame(await store.chunks('docs', ['a#1']), []);
      const { name, documents, chunks } = await store.stats('docs');
      expectSame({ name, documents, chunks }, { name: 'docs', documents: 2, chunks: 2 });
    }),
    using('documents are listed in pages by id', async (store) => {
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
      expectSame(listed.toSorted(), ids.toSorted());
    }),
    using('documents are deleted by filter', async (store) => {
      await store.upsert('docs', [
        createDocument('a', ['fox'], { tags: ['x', 'y'], sourcePath: 'src/a.ts' }),
        createDocument('b', ['fox'], { tags: ['x'], sourcePath: 'src/b.ts' }),
        createDocument('c', ['fox']),
      ]);
      expectSame(await store.delete('docs', { tags: ['x', 'y'] }), 1);
      expectSame((await findWords(store, 'fox')).toSorted(), ['b#0', 'c#0']);
      expectSame(await store.delete('docs', { documentIds: ['c', 'nothing'] }), 1);
      expectSame(await store.delete('docs', { sourcePath: 'lib/' }), 0);
      expectSame(await store.delete('docs', {}), 1);
      const { documents, chunks } = await store.stats('docs');
      expectSame({ documents, chunks }, { documents: 0, chunks: 0 });
      expectSame(await findWords(store, 'fox'), []);
    }),
    using('documents are stored all or none', async (store) => {
      const documents = [createDocument('good', ['fox']), createDocument('bad', ['fox', ' \n'])];
      await expectFailure(() => store.upsert('docs', documents), { code: 'invalid_arguments', says: ['bad', 'docs'] });
      expectSame(await findWords(store, 'fox'), []);
      await store.upsert('docs', []);
      expectSame((await store.stats('docs')).documents, 0);
    }),
    ...REFUSED.map(([what, document]) =>
      using(`documents are rejected ${what}`, (store) =>
        expectFailure(() => store.upsert('docs', [document]), { code: 'invalid_arguments' }),
      ),
    ),
    using('documents may have ids, paths, types and tags of the longest length', async (store) => {
      const [id = '', sourcePath, type = '', tag = ''] = ['ä', 'ö', 'ü', 'ß'].map((letter) => letter.repeat(1_000));
      await store.upsert('docs', [createDocument(id, ['fox'], { sourcePath, type, tags: [tag] })]);
      const filter = { sourcePath, type, tags: [tag] };
      expectSame((await store.search('docs', { by: 'words', text: 'fox', filter, limit: 1 })).length, 1);
    }),
    using('documents are rejected twice in one call', (store) =>
      expectFailure(() => store.upsert('docs', [createDocument('a', ['x']), createDocument('a', ['y'])]), {
        code: 'invalid_arguments',
        says: ['"a"'],
      }),
    ),
    using('documents may have the longest text and any characters', async (store) => {
      const text = `${'wort ß 漢字 \u{1f98a} \ud800 \u0000 '.repeat(4_000)}needle`.slice(-100_000);
      await store.upsert('docs', [createDocument('a', [text])]);
      expectSame(await findWords(store, 'needle'), ['a#0']);
      expectSame(await findWords(store, '漢字'), ['a#0']);
      const [chunk] = await store.chunks('docs', ['a#0']);
      expectSame(chunk?.text.slice(-6), 'needle');
      expectSame(chunk?.text.length, text.length);
    }),
  ];
}
