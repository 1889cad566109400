import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAsk, isQuestion } from './ask-command.ts';

it.for([
  ['docker', 'run', '--help'],
  ['git', 'log', '-h'],
  ['git', 'help', '-a'],
  ['aws', 'ec2', 'help'],
  ['kubectl', 'options'],
  ['gh', '__complete', 'pr', ''],
  ['shutdown', '--help'],
])('takes %j for a question', (argv) => {
  expect(isQuestion(argv)).toBe(true);
});

it.for([
  ['docker', 'run'],
  ['docker'],
  ['rm', '-r', 'help.txt'],
  ['kubectl', 'delete', 'options'],
  ['shutdown', '-h'],
  ['/sbin/poweroff', '-h'],
])('refuses to run %j', async (argv) => {
  expect(isQuestion(argv)).toBe(false);
  const ask = createAsk({ env: {}, cwd: tmpdir(), signal: new AbortController().signal });
  await expect(ask(argv)).rejects.toThrow('may do more than print information about itself');
});

it('runs a question without input and terminal, and without the variables of the caller', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-ask-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'tell.mjs');
  writeFileSync(
    program,
    `import { readFileSync, writeFileSync } from 'node:fs';
const { PAGER, NO_COLOR, SECRET, HOME } = process.env;
writeFileSync('seen.json', JSON.stringify({ PAGER, NO_COLOR, SECRET, isTerminal: process.stdin.isTTY === true, input: readFileSync(0, 'utf8') }));
console.log('Usage: tell --cache ' + HOME + '/cache');`,
  );
  const env = { PATH: process.env['PATH'], HOME: folder, SECRET: 'x' };
  const ask = createAsk({ env, cwd: folder, signal: new AbortController().signal });
  // The importing user's home folder does not belong in a shared file.
  expect((await ask([process.execPath, program, '--help'])).stdout).toBe('Usage: tell --cache ~/cache\n');
  expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toEqual({
    PAGER: 'cat',
    NO_COLOR: '1',
    isTerminal: false,
    input: '',
  });
});

it('ends a command that does not answer', async () => {
  const ask = createAsk({ env: process.env, cwd: tmpdir(), signal: new AbortController().signal, timeout: 200 });
  const { code, stdout } = await ask([process.execPath, '-e', 'setInterval(() => {}, 1000)', '--', '--help']);
  expect([code, stdout]).toEqual([undefined, '']);
});
