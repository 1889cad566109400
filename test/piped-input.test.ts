// Input piped into `pegboard call` reaches the command behind the tool, or a message says that it is lost.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-pipe-'));
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `tools:
  - { name: count, type: cli, description: Count, command: wc -c, args: [{ name: text, stdin: true, required: true }] }
  - { name: hello, type: cli, description: Say it, command: echo hello }
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a line in a shell, with `$PEGBOARD` as the command line. */
function shell(line: string): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  const PEGBOARD = `${process.execPath} ${CLI}`;
  return spawnSync('sh', ['-c', line], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], PEGBOARD },
  });
}

it('fills the argument that the command reads', () => {
  expect(shell('printf 12345 | $PEGBOARD call count')).toMatchObject({ stdout: '5\n', stderr: '', status: 0 });
  expect(shell('$PEGBOARD call count < pegboard.yaml').stdout).toBe(`${shell('cat pegboard.yaml').stdout.length}\n`);
});

it('says when it is not used, and waits for none', () => {
  expect(shell('printf 12345 | $PEGBOARD call hello')).toMatchObject({
    stdout: 'hello\n',
    stderr: 'note The piped input was not used: the tool has no argument for standard input.\n',
  });
  expect(shell('printf 12345 | $PEGBOARD call count text=1').stderr).toContain(
    '"text" is given among the arguments too',
  );
  expect(shell('$PEGBOARD call hello < /dev/null')).toMatchObject({ stdout: 'hello\n', stderr: '' });
});
