// Lines that another program put into the journal are found, and stop nobody who reads it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Board, openBoard } from '../../src/index.ts';
import { POSTGRES_BIN, startPostgres, type TestServer } from '../../src/platform/postgres/test-server.test-helper.ts';
import { CLI } from '../cli-program.test-helper.ts';
import { dataOf } from '../data-folder.test-helper.ts';

const LAST = '9223372036854775807';
const NUMBERS = ['-9223372036854775808', '-1', '0', '9007199254740993', '9223372036854775806', LAST];
const TOOL = 'tools: [{ name: note, type: cli, risk: write, description: Note, command: echo noted }]\n';

function makeBoard(more: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-numbers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'pegboard.yaml'), `${TOOL}audit: true\n${more}`);
  return folder;
}

function pegboard(
  folder: string,
  ...args: string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const insert = (table: string, number: string, at: string, overriding: string): string =>
  `insert into ${table} (number, at, type, call, tool, caller, outcome, body) ${overriding} values (${number}, ${at}, 'ended', 'forged', 'note', '', 'ok', '{}')`;

async function check(folder: string): Promise<void> {
  const verified = await pegboard(folder, 'audit', 'verify', '--json');
  expect(verified.stderr).toBe('');
  expect(verified.code).toBe(1);
  const { problems } = JSON.parse(verified.stdout) as { problems: { type: string; message: string }[] };
  expect(problems).toHaveLength(NUMBERS.length);
  const forged = NUMBERS.map((number) => `a line of the call forged has the number ${number}, which no board assigns`);
  expect(problems.map(({ type, message }) => `${type} ${message}`).toSorted()).toEqual(
    forged.map((message) => `not ours ${message}`).toSorted(),
  );
  const listed = await pegboard(folder, 'calls', '--json');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  // The line with a number of ours and a time beyond all is there to be seen.
  expect(JSON.parse(listed.stdout)).toHaveLength(2);
  expect(await pegboard(folder, 'calls')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^unknown time +forged/m),
  });
}

it('on SQLite', async () => {
  const folder = makeBoard('');
  expect((await pegboard(folder, 'call', 'note', '--yes')).code).toBe(0);
  const database = new DatabaseSync(join(dataOf(folder), 'board.db'));
  for (const number of NUMBERS) database.exec(insert('journal', number, '1', ''));
  database.exec(insert('journal', '1000', LAST, ''));
  database.close();
  await check(folder);
});

describe.skipIf(POSTGRES_BIN === undefined)('on PostgreSQL', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
    return () => server.close();
  });

  it('as well', async () => {
    const folder = makeBoard(`store: ${server.url}\n`);
    expect((await pegboard(folder, 'call', 'note', '--yes')).code).toBe(0);
    // The optional package, as the store loads it.
    const pg = createRequire(import.meta.url)('pg') as typeof import('pg');
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const number of NUMBERS)
      await client.query(insert('pegboard.journal', number, '1', 'overriding system value'));
    await client.query(insert('pegboard.journal', '1000', LAST, 'overriding system value'));
    await client.end();
    await check(folder);
  });
});

it('an answer under a config without an audit is sealed where the call is', async () => {
  const folder = makeBoard('policy: { approval: { headless: wait } }\n');
  const board: Board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  const call = board.call('note');
  await expect.poll(async () => (await board.approvals.list()).length).toBe(1);
  const [question] = await board.approvals.list();
  writeFileSync(join(folder, 'other.yaml'), `${TOOL}policy: { approval: { headless: wait } }\n`);
  const denied = await pegboard(folder, 'approvals', 'deny', question?.id ?? '', '--file', 'other.yaml');
  expect(denied.code).toBe(0);
  expect((await call).error?.code).toBe('permission_denied');
  const report = await board.audit.verify();
  await board.close();
  expect(report).toMatchObject({ ok: true, unsealed: 0, chains: 2 });
});
