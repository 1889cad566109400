// A person is not asked about a call that will surely be refused: each of these would be refused after a yes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openBoard } from '../src/index.ts';

let folder: string;

beforeEach(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-refused-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  folder = join(top, 'board');
  mkdirSync(folder);
});

/** Calls a destructive tool of a board whose person says yes to all, and gives what came of it and what was asked. */
async function call(
  tool: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly code: string; readonly text: string; readonly asked: readonly string[] }> {
  const file = join(folder, 'pegboard.json');
  const written = { name: 't', description: 'Does it', risk: 'destructive', ...tool };
  const policy = { roots: ['.'], approval: { global: 'destructive' } };
  writeFileSync(file, JSON.stringify({ tools: [written], policy }));
  const asked: string[] = [];
  const board = await openBoard(file, {
    cwd: folder,
    data: join(folder, '../data'),
    env: { PATH: process.env['PATH'], HOME: folder },
    approve: ({ tool: name }) => {
      asked.push(name);
      return true;
    },
  });
  onTestFinished(() => board.close());
  const result = await board.call('t', args);
  return { code: result.ok ? 'ok' : result.error.code, text: result.text, asked };
}

const repo = { name: 'repo', cwd: true };

it('asks about a call that can run', async () => {
  expect(await call({ type: 'cli', command: 'true' })).toMatchObject({ code: 'ok', asked: ['t'] });
});

it.each([
  { type: 'cli', command: 'git clean -n', args: [repo] },
  {
    type: 'run',
    schema: { type: 'object', properties: { repo: { type: 'string', format: 'path' } } },
    commands: [{ cmd: 'git', args: ['clean', '-n'], workingDir: '{{repo}}' }],
  },
])('refuses a repository that names a program: $type', async (tool) => {
  mkdirSync(join(folder, 'theirs'));
  const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: join(folder, 'theirs') });
  git('init', '-q');
  git('config', 'core.sshCommand', 'evil');
  expect(await call(tool, { repo: 'theirs' })).toEqual({
    code: 'permission_denied',
    text: expect.stringContaining('has settings that name programs or lead elsewhere (core.sshcommand)'),
    asked: [],
  });
});

it.each(['/etc/hosts', '../other', 'pegboard.json'])('refuses the place %s, which the policy keeps', async (path) => {
  const args = [{ name: 'path', positional: true, path: true }];
  expect(await call({ type: 'cli', command: 'rm', args }, { path })).toMatchObject({
    code: 'invalid_arguments',
    asked: [],
  });
});

it.each([
  { type: 'cli', command: 'pegboard-no-such-program --now' },
  { type: 'run', schema: { type: 'object' }, commands: [{ cmd: 'pegboard-no-such-program', args: [] }] },
])('refuses a program that is not installed: $type', async (tool) => {
  expect(await call(tool)).toEqual({
    code: 'execution_failed',
    text: expect.stringContaining('The command "pegboard-no-such-program" was not found in PATH.'),
    asked: [],
  });
});

it('refuses a folder that is not there', async () => {
  expect(await call({ type: 'cli', command: 'ls', args: [repo] }, { repo: 'gone' })).toMatchObject({
    text: expect.stringContaining('The working directory'),
    asked: [],
  });
});

it('asks where only a later command cannot start', async () => {
  const commands = [
    { cmd: 'true', args: [] },
    { cmd: 'pegboard-no-such-program', args: [] },
  ];
  expect(await call({ type: 'run', schema: { type: 'object' }, commands })).toMatchObject({ asked: ['t'] });
});

it('opens no board with a tool whose sandbox is missing', async () => {
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(call({ type: 'cli', command: '/bin/true', sandbox: 'bwrap' })).rejects.toThrow(
    'bubblewrap is not installed',
  );
});

it('refuses a tool that is off', async () => {
  expect(await call({ type: 'cli', command: 'true', env: { A: '${PEGBOARD_NOT_SET}' } })).toEqual({
    code: 'not_found',
    text: expect.stringContaining('PEGBOARD_NOT_SET'),
    asked: [],
  });
});
