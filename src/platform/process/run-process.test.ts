import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runProcess } from './run-process.ts';
import { describeBothWays, env, expectExit, temporaryFolder, textOf } from './spawners.test-helper.ts';
import { needs } from '../../../test/needs.test-helper.ts';

const folder = temporaryFolder();
const DUMP_ARGV =
  'process.stdout.write(JSON.stringify(process.argv.slice(1).map((a) => Buffer.from(a).toString("hex"))))';
const toHex = (text: string): string => Buffer.from(text).toString('hex');

const NAUGHTY = [
  '',
  ' ',
  '"double" \'single\'',
  '$(touch pwned)',
  '`touch pwned`',
  '; rm -rf . #',
  'a && b || c | d > e',
  '$HOME ${HOME} %PATH% !x',
  'line\nbreak\r\n\ttab',
  '*?[a-z]{a,b}~',
  '-rf',
  '--upload-pack=touch pwned',
  'back\\slash\\',
  '\u202Eright to left',
  'émoji 👩‍👩‍👧 日本語',
  '\u0001\u001B[31m\u007F',
  'x'.repeat(100_000),
];

describeBothWays('runProcess', (run, spawner) => {
  it('hands every string to the child byte for byte', async () => {
    const exit = expectExit(await run(process.execPath, ['-e', DUMP_ARGV, '--', ...NAUGHTY]));
    expect(JSON.parse(textOf(exit.stdout))).toEqual(NAUGHTY.map(toHex));
  });

  it('hands over any strings that have bytes', async () => {
    const strings = fc.array(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
    );
    await fc.assert(
      fc.asyncProperty(strings, async (args) => {
        const exit = expectExit(await run('printf', [String.raw`%s\0`, 'first', ...args]));
        expect(textOf(exit.stdout)).toBe(['first', ...args, ''].join('\0'));
      }),
      { numRuns: 50 },
    );
  });

  it('gives the child exactly the environment asked for, and the marker', async () => {
    const exit = expectExit(await run('env', ['-0'], { env: { ...env, ONE: 'a=b\nc', EMPTY: '' } }));
    const [, marker] = /\0PEGBOARD_CALL=([0-9a-f]{32})\0$/.exec(textOf(exit.stdout)) ?? [];
    expect(textOf(exit.stdout)).toBe(`PATH=${env.PATH}\0ONE=a=b\nc\0EMPTY=\0PEGBOARD_CALL=${marker}\0`);
  });

  it('gives code, stdout and stderr apart', async () => {
    const exit = expectExit(await run('sh', ['-c', 'echo out; echo err >&2; exit 3']));
    expect([exit.code, exit.signal, textOf(exit.stdout), textOf(exit.stderr)]).toEqual([3, null, 'out\n', 'err\n']);
  });

  it('gives the signal that ended a child', async () => {
    const exit = expectExit(await run('sh', ['-c', 'echo before; kill -9 $$']));
    expect([exit.code, exit.signal, textOf(exit.stdout)]).toEqual([null, 'SIGKILL', 'before\n']);
  });

  it('keeps bytes that are no text', async () => {
    const { stdout } = expectExit(await run('printf', [String.raw`\377\000\n`]));
    expect(stdout).toEqual({ type: 'whole', bytes: Buffer.from([255, 0, 10]) });
  });

  it('closes standard input unless it is fed', async () => {
    expect(textOf(expectExit(await run('cat', [])).stdout)).toBe('');
    expect(textOf(expectExit(await run('cat', [], { stdin: 'fed ✓' })).stdout)).toBe('fed ✓');
    const bytes = Buffer.alloc(500_000, 'ab');
    expect(expectExit(await run('cat', [], { stdin: bytes })).stdout).toEqual({ type: 'whole', bytes });
    expect(textOf(expectExit(await run('cat', [], { stdin: '' })).stdout)).toBe('');
  });

  it('ignores unread input', async () => {
    expect(expectExit(await run('true', [], { stdin: 'x'.repeat(5_000_000) })).code).toBe(0);
  });

  it('runs in the working directory, found programs included', async () => {
    const cwd = realpathSync(folder);
    writeFileSync(join(cwd, 'here.sh'), '#!/bin/sh\npwd\n', { mode: 0o755 });
    expect(textOf(expectExit(await run('./here.sh', [], { cwd })).stdout)).toBe(`${cwd}\n`);
  });

  it('leads a process group and a session of its own', needs('ps'), async () => {
    const { stdout } = expectExit(await run('sh', ['-c', 'ps -o pid=,pgid=,sid= -p $$']));
    const [pid, group, session] = textOf(stdout).trim().split(/\s+/);
    expect([group, session]).toEqual([pid, pid]);
  });

  it('reports a missing command', async () => {
    expect(await run('no-such-command', [])).toEqual({
      type: 'failed',
      reason: 'not_found',
      message: 'The command "no-such-command" was not found in PATH. Install it, or give its full path.',
    });
    expect(await run('./no-such-command', [], { cwd: folder })).toMatchObject({ reason: 'not_found' });
    expect(await run('true', [], { env: { PATH: folder } })).toMatchObject({ reason: 'not_found' });
  });

  it('distinguishes a missing working directory from a missing command', async () => {
    const cwd = join(folder, 'gone');
    expect(await run('true', [], { cwd })).toEqual({
      type: 'failed',
      reason: 'bad_cwd',
      message: `The working directory ${JSON.stringify(cwd)} does not exist. Give an existing one.`,
    });
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await run('true', [], { cwd: file })).toMatchObject({ reason: 'bad_cwd' });
  });

  it('says when the command cannot be executed', async () => {
    const plain = join(folder, 'plain.txt');
    writeFileSync(plain, 'text');
    chmodSync(plain, 0o644);
    expect(await run(plain, [])).toMatchObject({ type: 'failed', reason: 'not_executable' });
    mkdirSync(join(folder, 'directory'), { recursive: true });
    expect(await run(join(folder, 'directory'), [])).toMatchObject({ reason: 'not_executable' });
    const script = join(folder, 'lost-interpreter');
    writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 });
    expect(await run(script, [])).toEqual({
      type: 'failed',
      reason: 'not_executable',
      message: `The interpreter that ${JSON.stringify(script)} names in its first line was not found. Install it.`,
    });
  });

  it('runs many children at once and keeps their outputs apart', async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => String(index));
    const texts = await Promise.all(
      numbers.map(async (number) => textOf(expectExit(await run('cat', ['-', '/dev/null'], { stdin: number })).stdout)),
    );
    expect(texts).toEqual(numbers);
  });

  it('never starts a child when the signal has already aborted', async () => {
    const starts: unknown[] = [];
    const watched = {
      ...spawner,
      spawn: (request: Parameters<typeof spawner.spawn>[0]) => (starts.push(request), spawner.spawn(request)),
    };
    expect(await run('true', [], { signal: AbortSignal.abort(), spawner: watched })).toEqual({
      type: 'failed',
      reason: 'cancelled',
      message: 'The call was cancelled before "true" was started.',
    });
    expect(starts).toEqual([]);
  });
});

describe('runProcess refuses', () => {
  const refusal = (request: Partial<Parameters<typeof runProcess>[0]>): Promise<unknown> =>
    runProcess({ file: 'true', args: [], env, ...request }).then(
      () => 'ran',
      ({ code, field, message }: { code: string; field: string; message: string }) => ({ code, field, message }),
    );

  it('NUL bytes and names their place', async () => {
    expect(await refusal({ args: ['fine', 'a\0b'] })).toEqual({
      code: 'invalid_arguments',
      field: 'args[1]',
      message: 'Argument 2 contains a NUL byte at position 1, which no program can receive. Remove it.',
    });
    expect(await refusal({ cwd: '/tmp\0' })).toMatchObject({ code: 'invalid_arguments', field: 'cwd' });
    expect(await refusal({ file: 'tr\0ue' })).toMatchObject({ code: 'invalid_arguments', field: 'file' });
    expect(await refusal({ env: { A: 'x\0y' } })).toMatchObject({ code: 'invalid_arguments', field: 'env.A' });
  });

  it('lone surrogates, which would arrive as other characters', async () => {
    const message = 'Argument 1 contains half of a surrogate pair, which has no bytes in UTF-8. Send whole characters.';
    expect(await refusal({ args: ['\uD83D'] })).toEqual({ code: 'invalid_arguments', field: 'args[0]', message });
    expect(await refusal({ stdin: 'x\uDC00' })).toMatchObject({ code: 'invalid_arguments', field: 'stdin' });
  });

  it.runIf(process.platform === 'linux')(
    'one argument over the limit of the system, and takes one just under it',
    async () => {
      expect(await refusal({ args: ['-n', 'é'.repeat(65_536)] })).toEqual({
        code: 'invalid_arguments',
        field: 'args[1]',
        message:
          'Argument 2 is 131,072 bytes and the system takes 131,071 in one. Shorten it, or pass the data on standard input or in a file.',
      });
      expect(await refusal({ args: ['x'.repeat(131_071)] })).toBe('ran');
    },
  );

  it('arguments that are too large together', async () => {
    expect(await refusal({ args: Array.from({ length: 30 }, () => 'x'.repeat(100_000)) })).toEqual({
      code: 'invalid_arguments',
      field: 'args',
      message: expect.stringMatching(
        /^The arguments and the environment are 3,\d{3},\d{3} bytes together and the system takes [\d,]+\. Pass less, or pass the data on standard input or in a file\.$/,
      ),
    });
  });

  it('invalid variable names and an empty program', async () => {
    expect(await refusal({ env: { 'A=B': 'c' } })).toMatchObject({ code: 'invalid_arguments', field: 'env.A=B' });
    expect(await refusal({ file: '' })).toMatchObject({ code: 'invalid_arguments', field: 'file' });
  });
});
