// jq, ripgrep, sqlite3 and psql: they only read, and only what they were given.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestServer } from '../../src/platform/postgres/test-server.test-helper.ts';
import { openPack } from './open-pack.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

describe('the pack jq, with jq', needs('jq'), () => {
  it('answers questions to texts and files', async () => {
    const { call, write } = await openPack('jq');
    write('a.json', '{"b":[{"c":1},{"c":"x"}],"a":null}');
    write('-b.json', '{"version":"1.0"}');
    write('t.csv', 'x,1\ny,2\n');
    expect(await call('jq_query', { filter: '.a | map(. + 1)', json: '{"a":[1,2]}', compact: true })).toBe('[2,3]\n');
    expect(await call('jq_files', { filter: '.version', files: ['-b.json'], raw: true })).toBe('1.0\n');
    expect(await call('jq_lines', { filter: 'split(",")[0]', files: ['t.csv'], raw: true })).toBe('x\ny\n');
    expect(await call('jq_shape', { files: ['a.json'] })).toBe(
      'a: null\nb: array\nb.[]: object\nb.[].c: number\nb.[].c: string\n',
    );
    expect(await call('jq_format', { files: ['a.json'], sort_keys: true, indent: 0 })).toContain('{"a":null,');
    expect(await call('jq_check', { files: ['a.json'] })).toBe('(no output)');
    expect(await call('jq_check', { files: ['t.csv'] })).toMatch(/^execution_failed: /);
    for (const filter of [
      'if . then 1 else 2 end',
      'in({})?',
      'inputs?',
      'implode?',
      'map(.)?',
      'max?',
      '. as $m | 1',
      'isvalid(1)?',
    ]) {
      expect(await call('jq_query', { filter, json: '"a"' })).not.toMatch(/^invalid_arguments/);
    }
  });

  it.for(['import', 'include'])('loads no module: %s', async (word) => {
    const { call, folder, write } = await openPack('jq');
    writeFileSync(join(folder, '../secret.json'), '"hunter2"');
    writeFileSync(join(folder, '../secret.jq'), 'def s: "hunter2";');
    const filters = word === 'import' ? 'import "secret" as $s {search:".."}; $s' : 'include "secret" {search:".."}; s';
    // jq itself does it, so that the refusal means something.
    expect(execFileSync('jq', ['-n', filters], { cwd: folder, encoding: 'utf8' })).toContain('hunter2');
    write('a.json', '{}');
    for (const filter of [filters, ` \n${filters}`, `# x\n${filters}`, `module {}; ${filters}`]) {
      expect(await call('jq_query', { filter, json: '{}' })).toMatch(/^invalid_arguments/);
      expect(await call('jq_files', { filter, files: ['a.json'] })).toMatch(/^invalid_arguments/);
    }
  });

  it('sees no variable of the board, no file beside the folder, and takes no flags', async () => {
    const { call } = await openPack('jq', { API_TOKEN: 'hunter2' });
    expect(await call('jq_query', { filter: '[$ENV, env] | tostring', json: '{}' })).not.toContain('hunter2');
    for (const filter of ['-f../secret.txt', '--from-file', '-']) {
      expect(await call('jq_query', { filter, json: '{}' })).toMatch(/^invalid_arguments/);
    }
    for (const file of ['../secret.txt', '/etc/passwd', '/dev/stdin', '/proc/self/environ']) {
      expect(await call('jq_lines', { filter: '.', files: [file] })).toMatch(/^invalid_arguments/);
    }
  });
});

describe('the pack ripgrep, with rg', needs('rg'), () => {
  it('finds lines, matches, files and counts', async () => {
    const { call, write } = await openPack('ripgrep');
    write('src/a.ts', 'one two\ntwo\n');
    write('src/b.ts', 'three\n');
    const paths = ['src'];
    expect(await call('rg_search', { pattern: 'two', paths })).toBe('src/a.ts:1:one two\nsrc/a.ts:2:two\n');
    expect(await call('rg_search', { pattern: '--pre=x', fixed: true, paths })).toBe('[exit code 1: nothing matches]');
    expect(await call('rg_matches', { pattern: 't[a-z]+', paths: ['src/a.ts'] })).toContain('src/a.ts:1:two');
    expect(await call('rg_files', { pattern: 'two', paths })).toBe('src/a.ts\n');
    expect(await call('rg_files_without', { pattern: 'two', paths })).toBe('src/b.ts\n');
    expect(await call('rg_count', { pattern: 'two', paths })).toBe('src/a.ts:2\n');
    expect(await call('rg_list', { paths, type: ['ts'] })).toBe('src/a.ts\nsrc/b.ts\n');
    expect(await call('rg_types')).toContain('rust: *.rs');
  });

  it('starts no preprocessor, reads no settings and stays in its folder', async () => {
    const { call, folder, write } = await openPack('ripgrep', { RIPGREP_CONFIG_PATH: 'rc' });
    write('rc', '--pre=./trap\n');
    writeFileSync(join(folder, 'trap'), '#!/bin/sh\ntouch sprung\n', { mode: 0o755 });
    symlinkSync('..', join(folder, 'out'));
    await call('rg_search', { pattern: 'x', glob: ['--pre=./trap'] });
    for (const args of [
      { paths: ['..'] },
      { paths: ['out'] },
      { paths: ['/etc/passwd'] },
      { type: ['--pre=./trap'] },
    ]) {
      expect(await call('rg_search', { pattern: 'hunter', ...args })).toMatch(/^invalid_arguments/);
    }
    // Values that start with a dash are names here.
    expect(await call('rg_search', { pattern: 'hunter', paths: ['--pre=./trap', '.'] })).not.toContain('secret.txt');
    expect(await call('rg_search', { pattern: 'hunter', hidden: true, no_ignore: true })).toBe(
      '[exit code 1: nothing matches]',
    );
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
  });
});

describe('the pack sqlite3, with sqlite3', needs('sqlite3'), () => {
  const MAKE = 'CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL); INSERT INTO orders VALUES (1, 9.5), (2, 3);';
  const database = 'shop.db';

  it('shows tables, rows and plans', async () => {
    const { call, board, folder } = await openPack('sqlite3');
    execFileSync('sqlite3', [join(folder, database), MAKE]);
    expect((await board.call('sqlite_query', { database, sql: 'select * from orders' })).data).toEqual({
      rows: [
        { id: '1', total: '9.5' },
        { id: '2', total: '3.0' },
      ],
    });
    expect((await board.call('sqlite_query', { database, sql: 'SELECT 1 WHERE 0' })).data).toEqual({ rows: [] });
    expect(await call('sqlite_tables', { database })).toContain('orders,table,"id INTEGER, total REAL"');
    expect(await call('sqlite_schema', { database })).toContain('CREATE TABLE orders');
    expect(await call('sqlite_describe', { database, table: 'orders' })).toContain('total,REAL');
    expect(await call('sqlite_sample', { database, table: 'orders', limit: 1 })).toBe('id,total\n1,9.5\n');
    expect(await call('sqlite_plan', { database, sql: 'SELECT * FROM orders WHERE id = 1' })).toContain('PRIMARY KEY');
    expect(await call('sqlite_check', { database })).toBe('ok\n');
  });

  it.for([
    '.shell touch sprung',
    '.system touch sprung',
    '.trace sprung',
    '.output sprung',
    ".import '|touch sprung' x",
    "SELECT data FROM fsdir('../secret.txt')",
    "SELECT data FROM FsDir('../secret.txt')",
    'WITH x AS (SELECT 1) SELECT * FROM "fsdir"(\'../secret.txt\')',
    "SELECT readfile('../secret.txt')",
    "SELECT * FROM zipfile('../secret.txt')",
    "SELECT writefile('sprung', 'x')",
    "SELECT edit('x', 'touch sprung')",
    "SELECT load_extension('./trap')",
    "SELECT 1; ATTACH 'sprung' AS s; CREATE TABLE s.x (y)",
    "ATTACH 'sprung' AS s",
    "VACUUM INTO 'sprung'",
    "SELECT 1; VACUUM INTO 'sprung'",
    'SELECT 1; DELETE FROM orders',
    'WITH x AS (SELECT 1) DELETE FROM orders',
    'PRAGMA user_version = 7',
    'PRAGMA journal_mode = WAL',
    '-cmd',
  ])('neither changes nor leaves the file: %s', async (sql) => {
    const { call, folder } = await openPack('sqlite3');
    execFileSync('sqlite3', [join(folder, database), MAKE]);
    const before = readdirSync(folder);
    expect(await call('sqlite_query', { database, sql })).not.toContain('hunter2');
    expect(await call('sqlite_plan', { database, sql })).not.toContain('hunter2');
    expect(readdirSync(folder)).toEqual(before);
    expect(
      execFileSync('sqlite3', [join(folder, database), 'SELECT count(*) FROM orders; PRAGMA user_version'], {
        encoding: 'utf8',
      }),
    ).toBe('2\n0\n');
  });

  it('opens no other file and makes none', async () => {
    const { call, folder } = await openPack('sqlite3');
    for (const name of ['../secret.txt', 'file:new.db?mode=rwc', ':memory:', '-cmd', '/dev/stdin']) {
      expect(await call('sqlite_tables', { database: name })).toMatch(/^invalid_arguments/);
    }
    expect(await call('sqlite_tables', { database: 'new.db' })).toMatch(/^execution_failed/);
    expect(await call('sqlite_describe', { database, table: 'orders); DELETE FROM orders; --' })).toMatch(/^invalid/);
    expect(existsSync(join(folder, 'new.db'))).toBe(false);
  });
});

describe('the pack psql, with PostgreSQL', needs('psql', 'postgresql'), () => {
  let server: TestServer;
  const psql = (sql: string): string => execFileSync('psql', ['-XAtq', '-c', sql, server.url], { encoding: 'utf8' });
  const env = (): Record<string, string> => ({
    PGHOST: '127.0.0.1',
    PGPORT: new URL(server.url).port,
    PGUSER: 'postgres',
    PGDATABASE: 'postgres',
    // The environment must not loosen the settings of the pack.
    PGOPTIONS: '-c default_transaction_read_only=off',
  });
  beforeAll(async () => {
    server = await startPostgres();
    psql('CREATE TABLE orders (id int PRIMARY KEY, total numeric); INSERT INTO orders VALUES (1, 9.5), (2, 3)');
  });
  afterAll(() => server?.close());

  it('shows tables, rows and plans', async () => {
    const { call, board } = await openPack('psql', env());
    expect((await board.call('psql_query', { sql: 'SELECT * FROM orders ORDER BY id' })).data).toEqual({
      rows: [
        { id: '1', total: '9.5' },
        { id: '2', total: '3' },
      ],
    });
    expect(await call('psql_query', { sql: 'SHOW transaction_read_only;' })).toBe('transaction_read_only\non\n');
    expect(await call('psql_plan', { sql: 'SELECT * FROM orders WHERE id = 1' })).toContain('Index Cond');
    expect(await call('psql_tables')).toContain('public,orders,table,');
    expect(await call('psql_query', { sql: "SELECT 'hello_x' FROM pg_class LIMIT 1" })).toContain('hello_x');
    expect(await call('psql_describe', { table: 'public.orders' })).toContain('"orders_pkey" PRIMARY KEY');
    expect(await call('psql_sample', { table: 'orders', limit: 1 })).toBe('id,total\n1,9.5\n');
    expect(await call('psql_databases')).toContain('template1');
    expect(await call('psql_activity')).toMatch(/^pid,role,database,/);
  });

  it.for([
    'DELETE FROM orders',
    'SELECT 1; DELETE FROM orders',
    'SELECT 1; COMMIT; DELETE FROM orders',
    'SET TRANSACTION READ WRITE',
    'SELECT 1; SET TRANSACTION READ WRITE; DELETE FROM orders',
    'WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone',
    "SELECT set_config('transaction_read_only', 'off', false), query_to_xml('DELETE FROM orders', true, true, '')",
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "SELECT query_to_xml('DELETE FROM orders RETURNING 1', true, true, '')",
    'SELECT * INTO copied FROM orders',
    "SELECT lo_from_bytea(0, 'x')",
    'SELECT pg_catalog.LO_CREATE(0)',
    'SELECT U&"\\006Co_create"(0)',
    "SELECT query_to_xml('SELECT lo_' || 'create(0)', true, true, '')",
    "SELECT ts_stat('SELECT lo_' || 'create(0)')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "COPY orders TO PROGRAM 'touch sprung'",
    "COPY (SELECT 1) TO 'sprung'",
    '\\! touch sprung',
    "\\copy orders to program 'touch sprung'",
    'SELECT 1 \\! touch sprung',
    'SELECT 1 \\g |touch sprung',
    "SELECT 'DELETE FROM orders' \\gexec",
    '-f../secret.txt',
    'EXPLAIN ANALYZE DELETE FROM orders',
    'DO $$ BEGIN DELETE FROM orders; END $$',
  ])('changes nothing and starts nothing: %s', async (sql) => {
    const { call, folder } = await openPack('psql', env());
    const before = readdirSync(folder);
    expect(await call('psql_query', { sql })).not.toMatch(/root:|\betc\b/);
    await call('psql_plan', { sql });
    expect(readdirSync(folder)).toEqual(before);
    expect(psql('SELECT count(*) FROM orders')).toBe('2\n');
    expect(psql("SELECT to_regclass('copied') IS NULL, (SELECT count(*) FROM pg_largeobject_metadata)")).toBe('t|0\n');
  });

  it('reaches no server that a call names, and describes nothing but tables', async () => {
    const { board, call } = await openPack('psql', env());
    const { steps } = await board.dryRun('psql_query', { sql: 'SELECT 1' });
    expect(JSON.stringify(steps)).not.toContain('127.0.0.1');
    for (const table of ['orders; DELETE FROM orders', 'orders \\! touch sprung', '`touch sprung`', '| touch x']) {
      expect(await call('psql_describe', { table })).toMatch(/^invalid_arguments/);
      expect(await call('psql_sample', { table })).toMatch(/^invalid_arguments/);
    }
  });
});
