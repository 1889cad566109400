import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { openBoard } from 'pegboard';
import { exporterContract, kindContract, vectorStoreContract } from 'pegboard/testing';
import plugin, { ollama, openTableStore, sql } from 'pegboard-sql';

/**
 * Does work in a folder that is gone afterwards.
 *
 * @template T
 * @param {(folder: string) => T | Promise<T>} work
 */
async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-sql-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A database with the cakes of a bakery. */
const bakery = await inFolder((folder) => {
  const file = join(folder, 'bakery.db');
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE cakes (name TEXT PRIMARY KEY, price REAL, sold INTEGER);
    INSERT INTO cakes VALUES ('Apple', 12.5, 9007199254740993), ('Bundt', 9, 2), ('Carrot', 14, 3);`);
  database.close();
  return readFileSync(file);
});

const find = `
  - name: find_cake
    type: sql
    description: Find cakes by their name.
    database: data/bakery.db
    query: SELECT name, price FROM cakes WHERE name LIKE :name ORDER BY name
    params: { name: string }
`;
const sell = `
  - name: sell_cake
    type: sql
    description: Sell a cake.
    database: data/bakery.db
    write: true
    query: UPDATE cakes SET sold = sold + :count WHERE name = :name
    params: { name: { type: string }, count: { type: integer, default: 1 } }
`;

describe('the kind sql', () => {
  const checks = kindContract({
    kind: sql,
    files: { 'data/bakery.db': bakery },
    board: `tools:${find}${sell}
  - { name: fail, type: sql, description: Fail, database: data/bakery.db, query: DELETE FROM cakes }
`,
    tool: 'find_cake',
    input: { name: 'B%' },
    answer: '{"name":"Bundt","price":9}',
    wrong: { name: 7 },
    failing: { tool: 'fail', input: {} },
    broken: [
      {
        board: 'tools:\n  - { name: a, type: sql, description: A, database: a.db, query: "SELECT :b" }\n',
        path: 'tools[0].query',
      },
      {
        board:
          'tools:\n  - { name: a, type: sql, description: A, database: a.db, query: SELECT 1, params: { b: string } }\n',
        path: 'tools[0].params.b',
      },
      { board: 'tools:\n  - { name: a, type: sql, description: A, query: SELECT 1 }\n', path: 'tools[0].database' },
    ],
    roots: {
      board: `tools:
  - name: note_file
    type: sql
    description: Note a file.
    database: data/bakery.db
    query: SELECT :file AS file
    params: { file: { type: string, format: path } }
`,
      outside: { tool: 'note_file', input: { file: '/etc/hostname' } },
      inside: { tool: 'note_file', input: { file: '.' } },
    },
    acts: { tool: 'sell_cake', input: { name: 'Bundt' } },
    relative: { board: `tools:${find}`, answer: 'Bundt' },
    changed: { board: `tools:${find.replace('LIKE :name', 'NOT LIKE :name')}`, answer: 'Carrot' },
    secret: {
      board: `tools:${find.replace('SELECT name', "SELECT '${KIND_TOKEN}' AS secret, name")}`,
    },
    missing: { board: `tools:${find.replace('bakery.db', 'none.db')}`, name: 'data/none.db' },
  });
  for (const { name, check } of checks) test(name, check);

  /**
   * @param {string} entries
   * @param {(board: import('pegboard').Board) => Promise<void>} work
   */
  const onBoard = (entries, work) =>
    inFolder(async (folder) => {
      writeFileSync(join(folder, 'bakery.db'), bakery);
      writeFileSync(join(folder, 'pegboard.yaml'), `tools:${entries.replaceAll('data/', '')}`);
      const board = await openBoard({ files: join(folder, 'pegboard.yaml'), plugins: [plugin] });
      try {
        await work(board);
      } finally {
        await board.close();
      }
    });

  test('binds values that look like SQL', () =>
    onBoard(find, async (board) => {
      const { text } = await board.call('find_cake', { name: "'; DROP TABLE cakes; --" });
      assert.equal(text, 'No rows.');
      assert.match((await board.call('find_cake', { name: '%' })).text, /Apple.*\n.*Bundt.*\n.*Carrot/);
    }));

  test('opens the database read only, and for writing when the entry says so', () =>
    onBoard(
      `${find}${sell}${sell.replace('sell_cake', 'peek').replace('write: true', 'write: false')}`,
      async (board) => {
        const risks = ['find_cake', 'sell_cake', 'peek'].map((name) => board.registry.get(name)?.metadata.risk);
        assert.deepEqual(risks, ['read', 'write', 'read']);
        const refused = await board.call('peek', { name: 'Bundt' });
        assert.equal(refused.text, 'The database says: attempt to write a readonly database.');
        assert.equal((await board.call('sell_cake', { name: 'Bundt' })).text, '1 rows changed.');
      },
    ));

  test('gives so many rows, and says when there are more', () =>
    onBoard(find.replace('params:', 'rows: 2\n    params:'), async (board) => {
      const { data, text } = await board.call('find_cake', { name: '%' });
      assert.deepEqual(data, {
        rows: [
          { name: 'Apple', price: 12.5 },
          { name: 'Bundt', price: 9 },
        ],
        hasMore: true,
      });
      assert.match(text, /There are more rows\. These are the first 2: ask for fewer\.$/);
    }));

  test('keeps integers that JavaScript has no number for', () =>
    onBoard(find.replace('name, price', 'sold'), async (board) => {
      assert.equal((await board.call('find_cake', { name: 'A%' })).text, '{"sold":"9007199254740993"}');
    }));

  for (const [query, fault] of [
    ['SELECT 1; DELETE FROM cakes', 'more than one statement'],
    ['SELECT ?', 'a parameter without a name'],
    ["ATTACH '/etc/passwd' AS other", 'ATTACH'],
  ]) {
    test(`refuses ${query}`, () =>
      assert.rejects(
        onBoard(find.replace(/query: .*/, `query: ${JSON.stringify(query)}`), async () => {}),
        (/** @type {Error} */ error) => error.message.includes(fault ?? ''),
      ));
  }
});

describe('the store table', () => {
  const open = () => openTableStore({ name: 'test', url: undefined, data: undefined, base: '.' });
  for (const { name, check } of vectorStoreContract({ open })) test(name, check);

  test('keeps what it was given', () =>
    inFolder(async (data) => {
      const settings = { name: 'kept', url: undefined, data, base: '.' };
      const embedding = /** @type {const} */ ({ embedder: 'test', dimension: 2, distance: 'dot' });
      const document = {
        id: 'a',
        contentHash: 'h',
        type: 'general',
        tags: ['x'],
        sourcePath: undefined,
        stamp: '1',
        chunks: [{ text: 'A red fox', headings: [], lines: undefined, embedding: Float32Array.of(1, 2) }],
      };
      const first = await openTableStore(settings);
      await first.ensureCollection('docs', embedding);
      await first.upsert('docs', [document, { ...document, id: 'b' }]);
      await first.delete('docs', { documentIds: ['b'] });
      await first.close();
      const second = await openTableStore(settings);
      assert.deepEqual(await second.read('docs'), [document]);
      assert.deepEqual(await second.collections(), [{ name: 'docs', embedding }]);
      assert.equal((await second.search('docs', { by: 'words', text: 'foxes', limit: 1 })).length, 1);
      await second.close();
    }));
});

describe('the exporter ollama', () => {
  const checks = exporterContract({
    exporter: ollama,
    readTool: ({ function: { name, description, parameters } }) => ({ name, description, schema: parameters }),
    writeCalls: (calls) => ({
      message: { tool_calls: calls.map(({ id, name, args }) => ({ id, function: { name, arguments: args } })) },
    }),
    names: /^[A-Za-z0-9_-]{1,64}$/,
  });
  for (const { name, check } of checks) test(name, check);
});
