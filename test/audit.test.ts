// The audit: a sealed record by several processes, on both databases.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Board, defineTool, openBoard } from '../src/index.ts';
import { startPostgres, type TestServer } from '../src/platform/postgres/test-server.test-helper.ts';
import { openDatabase } from '../src/platform/store/open-board-store.ts';
import { CLI } from './cli-program.test-helper.ts';
import { has, needs } from './needs.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

const KEY = Buffer.alloc(32, 3).toString('base64');
const root = mkdtempSync(join(tmpdir(), 'pegboard-audit-story-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'board-'));
});

const TOOLS = `tools:
  - { name: hello, type: cli, description: Hi, command: echo hello, risk: read }
  - { name: wait, type: cli, description: Wait, command: sleep 600, risk: write }`;

let ran = 0;
const spend = defineTool({
  name: 'spend',
  description: 'Spend money',
  schema: z.object({}),
  risk: 'destructive',
  async execute(_, context) {
    ran++;
    const board = context.getMeta('other') as Board | undefined;
    return (await board?.calls.list({ tool: 'spend', outcome: 'running' }))?.length ?? 'done';
  },
});

async function open(config: string, env: Readonly<Record<string, string>> = {}): Promise<Board> {
  writeFileSync(join(folder, 'pegboard.yaml'), `${config}\n${TOOLS}`);
  const options = { cwd: folder, tools: [spend], env: { ...process.env, PEGBOARD_KEY: KEY, ...env } };
  const board = await openBoard(join(folder, 'pegboard.yaml'), options);
  onTestFinished(() => board.close());
  return board;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
      PEGBOARD_KEY: KEY,
      ...env,
    },
  };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [CLI, ...args], options)) };
  } catch (error) {
    // The type that `execFile` rejects with when the program fails.
    return error as { code: number; stdout: string; stderr: string };
  }
}

let server: TestServer | undefined;
beforeAll(async () => {
  server = has('postgresql') ? await startPostgres() : undefined;
});
afterAll(() => server?.close());

describe.each(['sqlite', 'postgres'])('on %s', (driver) => {
  const env = (): Record<string, string> => (driver === 'sqlite' ? {} : { PEGBOARD_STORE: server?.url ?? '' });

  it(
    'proves the lines of every process, also of one that was killed, and finds what was done to them',
    driver === 'postgres' ? needs('postgresql') : {},
    async () => {
      const board = await open('audit: { sink: audit.jsonl, strict: [write] }\nrecord: off', env());
      await board.call('hello');
      await board.audit.verify();
      const child = spawn(process.execPath, [CLI, 'call', 'wait', '--yes'], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          HOME: folder,
          XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
          PEGBOARD_KEY: KEY,
          ...env(),
        },
        stdio: 'ignore',
      });
      await expect.poll(async () => (await board.calls.list({ tool: 'wait' })).length).toBe(1);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await board.call('spend', {}, { context: { other: board } })).toMatchObject({ ok: true, data: 1 });
      await board.close();
      const proven = await run(['audit', 'verify'], env());
      expect(proven).toMatchObject({ code: 0 });
      expect(proven.stdout).toMatch(/^\d+ lines in 2 chains: all unchanged\.\n1 chain without an end: /);
      const exported = await run(['audit', 'export', '--format', 'csv'], env());
      expect(exported.stdout).toMatch(/^number,at,type,call,parent,tool,caller,outcome,body,chain,place,seal\n/);
      expect(exported.stdout.split('\n').filter((line) => line.includes(',spend,'))).toHaveLength(2);
      const place = driver === 'sqlite' ? dataOf(folder) : (server?.url ?? '');
      const database = openDatabase(place);
      await database.run(`delete from ${database.dialect.schema}.journal where type = 'closed'`);
      await database.close();
      const cut = await run(['audit', 'verify', '--json'], env());
      expect(cut.code).toBe(1);
      expect(JSON.parse(cut.stdout)).toMatchObject({
        ok: false,
        problems: [{ type: 'removed', message: expect.stringMatching(/^the sink names place \d, and the chain ends/) }],
      });
      const other = await run(['audit', 'verify'], { ...env(), PEGBOARD_KEY: Buffer.alloc(32, 4).toString('base64') });
      expect(other.stderr).toContain('is sealed with another key');
    },
  );
});

it('does not run what it cannot write first, and says why', async () => {
  writeFileSync(join(root, 'file'), '');
  const board = await open('audit: { strict: [spend] }\ndata: ../file');
  ran = 0;
  const result = await board.call('spend');
  expect(result).toMatchObject({ ok: false, error: { code: 'execution_failed' } });
  expect(result.text).toMatch(
    /"spend" was not run: its call has to be on disk first \(audit\.strict\), and could not be/,
  );
  expect(ran).toBe(0);
  expect(await board.call('hello')).toMatchObject({ ok: true });
});

it('sends lines to a collector, and goes on where there is none', async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const board = await open(`audit: { sink: 'http://127.0.0.1:${port}/v1/logs' }`);
  await board.call('hello');
  await board.close();
  const records = JSON.parse(bodies[0] ?? '{}').resourceLogs[0].scopeLogs[0].logRecords as { eventName: string }[];
  // A call that takes longer on a busy machine has a line at its start too.
  const types = records.map(({ eventName }) => eventName).filter((name) => !name.endsWith('.started'));
  expect(types).toEqual(['opened', 'ended', 'closed'].map((type) => `pegboard.audit.${type}`));
});

it('takes up a sink that the file names while the board runs', async () => {
  const board = await open('audit: true');
  await board.call('hello');
  writeFileSync(join(folder, 'pegboard.yaml'), `audit: { sink: later.jsonl }\n${TOOLS}`);
  expect(await board.reload()).toEqual({ ok: true });
  await board.call('hello');
  expect(await board.audit.verify()).toMatchObject({ ok: true, unsealed: 0 });
  await expect.poll(() => readFileSync(join(folder, 'later.jsonl'), 'utf8')).toContain('"tool":"hello"');
});
