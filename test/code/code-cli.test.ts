// Programs at the terminal: run, paused, listed, answered, resumed, cancelled; types and modules that compile.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cancelProgram, followProgram, listPrograms, runCode } from '../../src/code.ts';
import { atTerminal } from '../terminal.test-helper.ts';
import { type Board, defineTool, openBoard } from '../../src/index.ts';
import { CLI } from '../cli-program.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const root = join(import.meta.dirname, '../..');
// Within the repository, as a module that was written imports the package.
mkdirSync(join(root, '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache/code-cli-'));
let board: Board;

const HOLD = defineTool({
  name: 'hold',
  description: 'Waits until it is told to stop.',
  risk: 'write',
  schema: { type: 'object' },
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
});

beforeAll(async () => {
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `policy: { approval: { global: none, tools: { send: true } } }
tools:
  - { name: look, type: cli, description: Look, command: [echo, '{"seen":[1,2]}'], risk: read }
  - { name: send, type: cli, description: Send a line, command: [tee, -a, sent.txt], risk: write, args: [{ name: line, stdin: true, required: true }] }
`,
  );
  writeFileSync(
    join(folder, 'mails.ts'),
    `const seen: unknown = await tools.look({});
const sent = await Promise.all((input as string[]).map((line) => tools.send({ line: line + '\\n' })));
return { seen, sent };`,
  );
  board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder, tools: [HOLD] });
});
afterAll(async () => {
  await board.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env['PATH'],
    HOME: tmpdir(),
    XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
    TERM: 'dumb',
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

it('pauses, is listed, and goes on in another process once its calls are answered', async () => {
  const paused = await run('code', 'mails.ts', '--input', '["a","b"]', '--pause', '--id', 'mails');
  expect(paused).toMatchObject({ code: 1, stdout: '' });
  expect(paused.stderr).toMatch(/● mails\.ts \(1 call\)\n└─ look {2}ok \d+ ms\nwaits: send \{"line":"a\\n"\}/);
  expect(paused.stderr).toMatch(/Then: pegboard code resume mails\n$/);
  const [program] = await listPrograms(board);
  expect(program).toMatchObject({ id: 'mails', status: 'waiting', calls: [{ tool: 'look' }], waiting: [{}, {}] });
  const [a, b] = program?.waiting ?? [];
  await board.approvals.answer(a?.approvalId ?? '', { allow: true });
  await board.approvals.answer(b?.approvalId ?? '', { allow: true });
  const resumed = await run('code', 'resume', 'mails');
  expect(JSON.parse(resumed.stdout)).toMatchObject({ sent: ['a\n', 'b\n'] });
  expect(readFileSync(join(folder, 'sent.txt'), 'utf8').split('\n').toSorted()).toEqual(['', 'a', 'b']);
  const listed = await run('code', 'list');
  expect(listed.stdout).toMatch(/mails +ok +3 calls/);
  const shown = await run('code', 'show', 'mails', '--follow');
  expect(shown.stdout).toMatch(/tools\.look[^]*● mails ok \(3 calls\)\n├─ look +ok[^]*├─ send +ok[^]*└─ send +ok/);
});

it('asks the person at the terminal once about all calls', needs('python3'), async () => {
  const asked = ['code', 'mails.ts', '--input', '["x","y"]'];
  const down = '\u001B[B';
  const yes = await atTerminal(asked, { cwd: folder, steps: [['Allow these 2 calls?', `${down}\r`]] });
  expect(yes.shown).toMatch(/1\. Allow send[^]*"x[^]*2\. Allow send[^]*"y[^]*├─ send +ok[^]*└─ send +ok/);
  expect(yes.code).toBe(0);
  const no = await atTerminal(asked, { cwd: folder, steps: [['Allow these 2 calls?', '\r']] });
  expect(no.shown).toContain('said no');
  expect(no.code).toBe(1);
});

it('is cancelled while another process runs it, and while it waits', async () => {
  const under = runCode(board, 'await tools.hold({})', { id: 'held' });
  await expect.poll(async () => (await listPrograms(board)).find(({ id }) => id === 'held')?.status).toBe('running');
  const seen: string[] = [];
  const watched = (async () => {
    for await (const { status, outcome } of followProgram(board, 'held')) seen.push(outcome ?? status);
  })();
  expect(await run('code', 'cancel', 'held')).toMatchObject({ code: 0, stdout: 'The program "held" is cancelled.\n' });
  expect(await under).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  await watched;
  expect(seen.at(-1)).toBe('cancelled');
  const { id } = await runCode(board, `await tools.send({ line: 'c' })`, { pause: true });
  expect(await board.approvals.list()).toHaveLength(1);
  expect(await cancelProgram(board, id)).toMatchObject({ status: 'ended', outcome: 'cancelled' });
  expect(await board.approvals.list()).toEqual([]);
  expect(await run('code', 'cancel', 'nothing')).toMatchObject({
    code: 1,
    stderr: 'There is no program "nothing". List them with: pegboard code list\n',
  });
});

it('writes types and a module that compile, with what was learned, and forgets that', async () => {
  const [types, emitted] = await Promise.all([run('types'), run('emit')]);
  writeFileSync(join(folder, 'tools.d.ts'), types.stdout);
  writeFileSync(join(folder, 'client.ts'), emitted.stdout);
  writeFileSync(
    join(folder, 'use.ts'),
    `/// <reference path="./tools.d.ts" />\nconst sent = await tools.send({ line: 'x' });\n// @ts-expect-error: the tool takes a text\nawait tools.send({ line: 1 });\nexport { sent };`,
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        noEmit: true,
        types: ['node'],
        paths: { 'pegboard/*': ['../../src/*.ts'], pegboard: ['../../src/index.ts'] },
      },
      include: ['use.ts', 'client.ts'],
    }),
  );
  const tsc = await new Promise<string>((resolve) =>
    execFile(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], (_, stdout) =>
      resolve(stdout),
    ),
  );
  expect(tsc).toBe('');
  expect((await run('types', '--learned')).stdout).toContain('look');
  expect((await run('types', '--forget', 'look')).code).toBe(0);
  expect((await run('types', '--learned')).stdout).not.toContain('look');
});
