// Words for people: exit codes, messages about rules, callers and secrets.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { CLI } from './cli-program.test-helper.ts';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function makeFolder(text: string): { readonly folder: string; pegboard(...args: string[]): Promise<Outcome> } {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-words-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'pegboard.yaml'), text);
  const run = (file: string, args: readonly string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      const { PATH, XDG_STATE_HOME } = process.env;
      const DATABASE = 'postgres://app:pw@db.example.com:5432/shop';
      const SESSION_DSN = 'postgres://app:pass1@db.example.com:5432/shop';
      const env = { PATH, XDG_STATE_HOME, HOME: folder, DATABASE, SESSION_DSN };
      execFile(file, args, { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  return {
    folder,
    pegboard: (...args) =>
      args[0] === '|'
        ? run('bash', ['-c', `set -o pipefail; "${process.execPath}" "${CLI}" ${args.slice(1).join(' ')}`])
        : run(process.execPath, [CLI, ...args]),
  };
}

const ECHO = '{ name: echo, type: cli, description: Echo, risk: read, command: echo hi }';

describe('the exit code', () => {
  it.for(['head -1', 'true', 'head -c 1'])('is that of the command, also where %s stops reading', async (reader) => {
    const many = Array.from({ length: 300 }, (_, index) => `  - { name: t${index}, type: cli, comand: x }`).join('\n');
    const { pegboard } = makeFolder(`tools:\n${many}\n`);
    expect(await pegboard('|', `validate | ${reader}`)).toMatchObject({ code: 1, stderr: '' });
    const fine = makeFolder(`tools: [${ECHO}]\n`);
    expect(await fine.pegboard('|', `validate | ${reader}`)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('pegboard validate', () => {
  const token = `{ name: ada, hash: "sha256:${'a'.repeat(64)}" }`;
  it.for([
    [
      `{ oauth: { issuer: https://login.example.com, audience: me }, tokens: [${token}] }`,
      'serve.oauth cannot be used with tokens. Remove one of them.',
    ],
    [`{ trusted_proxies: [nonsense], tokens: [${token}] }`, 'serve.trusted_proxies has "nonsense".'],
  ])('says what serve refuses: %s', async ([serve = '', message = '']) => {
    const { pegboard } = makeFolder(`tools: [${ECHO}]\nserve: ${serve}\n`);
    const served = await pegboard('serve', '--http', '--port', '0');
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining(message)]);
    const { code, stdout } = await pegboard('validate');
    expect([code, stdout]).toEqual([1, expect.stringContaining(`pegboard.yaml:2:1 serve: ${message}`)]);
  });

  it('says of a short password that it is one, not that the address is short', async () => {
    const { pegboard } = makeFolder(
      "tools: [{ name: echo, type: cli, description: Echo, command: 'echo ${DATABASE} ${SESSION_DSN}' }]\n",
    );
    const { stdout } = await pegboard('validate');
    expect(stdout).toContain(
      'the password in the address DATABASE has fewer than 4 characters: it is not redacted from results. Use a password of 8 characters or more.',
    );
    expect(stdout).toContain('the password in the address SESSION_DSN has fewer than 8 characters:');
    expect(stdout).not.toContain('its value has fewer');
  });
});

it('a tool that a rule keeps away is explained with the rule and its line', async () => {
  const { pegboard } = makeFolder(`tools:\n  - ${ECHO}\npolicy:\n  deny:\n    - other\n    - { risk: read }\n`);
  for (const command of ['show', 'call']) {
    const { code, stderr } = await pegboard(command, 'echo');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'The tool "echo" of pegboard.yaml is not on the board: the rule deny[1] (risk "read") forbids it (pegboard.yaml:6)',
      ),
    ]);
  }
});

it('the record of a call of such a tool names the rule, which its caller is not told', async () => {
  const { folder, pegboard } = makeFolder(`tools: [${ECHO}]\npolicy: { deny: [echo] }\n`);
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  const { error } = await board.call('echo');
  expect(error).toMatchObject({ code: 'not_found', message: expect.not.stringContaining('deny') });
  const [call] = await board.calls.list();
  await board.close();
  const { stdout } = await pegboard('calls', 'show', call?.id ?? '');
  expect(stdout).toContain('The tool is not on the board: the rule deny[0] ("echo") forbids it (pegboard.yaml:2).');
});

it('calls forget takes the name of a token, and says whose calls there are where it finds none', async () => {
  const { folder, pegboard } = makeFolder(`tools: [${ECHO}]\n`);
  const board = await openBoard(join(folder, 'pegboard.yaml'), { cwd: folder });
  await board.call('echo', {}, { context: { caller: 'token:ada' } });
  await board.call('echo', {}, { context: { caller: 'bob' } });
  await board.close();
  const none = await pegboard('calls', 'forget', '--caller', 'adda');
  expect([none.code, none.stderr]).toEqual([
    1,
    'error There are no records of "adda". There are calls of: bob, token:ada.\n',
  ]);
  expect(await pegboard('calls', 'forget', '--caller', 'ada')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Deleted \d lines? of "token:ada"\.$/m),
  });
  expect((await pegboard('calls', '--json')).stdout).not.toContain('token:ada');
});
