import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProcess } from '../run-process.ts';
import { env, eventually, expectExit, temporaryFolder, textOf } from '../spawners.test-helper.ts';
import { createSpawner, type SpawnerOptions } from './spawner.ts';
import { needs } from '../../../../test/needs.test-helper.ts';

const folder = temporaryFolder();

/** Prints the command line of the parent. */
const PARENT = ['-c', 'ps -o args= -p $PPID'];

/** Returns for each of a few calls if a helper started it. */
async function areHelped(memory: number, options: SpawnerOptions = {}): Promise<boolean[]> {
  const spawner = createSpawner({ readMemory: () => memory, ...options });
  onTestFinished(() => spawner.close());
  const helped: boolean[] = [];
  for (let call = 0; call < 3; call++) {
    const exit = expectExit(await runProcess({ file: 'sh', args: PARENT, env, spawner }));
    helped.push(textOf(exit.stdout).includes('pegboard-spawn-helper'));
  }
  return helped;
}

/** Returns the output of a program. */
async function output(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const { stdout } = expectExit(await runProcess({ file: process.execPath, args, env: { ...env, ...more } }));
  return textOf(stdout);
}

describe('createSpawner', () => {
  it('uses a helper only above the threshold', needs('ps'), async () => {
    expect(await areHelped(95 * 2 ** 20, { directCalls: 0 })).toEqual([false, false, false]);
    expect(await areHelped(97 * 2 ** 20, { directCalls: 0 })).toEqual([true, true, true]);
    expect(await areHelped(100, { threshold: 99, directCalls: 0 })).toEqual([true, true, true]);
  });

  it('starts no helper for the one call of a short-lived process', needs('ps'), async () => {
    expect(await areHelped(2 ** 30)).toEqual([false, true, true]);
  });

  it('uses one helper for many calls', async () => {
    const spawner = createSpawner({ threshold: 0, directCalls: 0 });
    onTestFinished(() => spawner.close());
    const args = ['-c', 'echo $PPID'];
    const calls = Array.from({ length: 10 }, () => runProcess({ file: 'sh', args, env, spawner }));
    const parents = (await Promise.all(calls)).map((outcome) => textOf(expectExit(outcome).stdout));
    expect(new Set(parents).size).toBe(1);
  });

  it('waits for a board that is too busy to take connections', async () => {
    const spawner = createSpawner({ threshold: 0, directCalls: 0 });
    onTestFinished(() => spawner.close());
    const started = join(folder, 'started');
    const args = ['-c', `echo x >> ${started}; echo here`];
    const call = () => runProcess({ file: 'sh', args, env, spawner });
    await call();
    const calls = Array.from({ length: 300 }, call);
    await eventually(() => readFileSync(started).length > 2);
    // Accepts no connections until the listener's queue is full and no further child starts.
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let size = 0, looks = 0; looks < 10; looks++) {
      Atomics.wait(clock, 0, 0, 20);
      const found = readFileSync(started).length;
      if (found > size) [size, looks] = [found, 0];
    }
    const outputs = (await Promise.all(calls)).map((outcome) => textOf(expectExit(outcome).stdout));
    expect(new Set(outputs)).toEqual(new Set(['here\n']));
  });

  it.runIf(process.platform === 'linux')('closes everything it opened', async () => {
    const spawner = createSpawner({ threshold: 0, directCalls: 0 });
    const call = () => runProcess({ file: 'cat', args: [], env, spawner, stdin: 'x' });
    const countFiles = (): number => readdirSync('/proc/self/fd').length;
    const start = countFiles();
    await Promise.all(Array.from({ length: 40 }, call));
    await runProcess({ file: './gone', args: [], env, spawner });
    // The spare sockets, the server, and the channel to the helper.
    expect(await eventually(() => countFiles() <= start + 100 && countFiles())).toBeLessThanOrEqual(start + 100);
    spawner.close();
    expect(await eventually(() => countFiles() <= start)).toBe(true);
  });

  it('works from a minified bundle', needs('ps'), async () => {
    const bundle = await rolldown({ input: new URL('../run-process.ts', import.meta.url).pathname, platform: 'node' });
    await bundle.write({ file: join(folder, 'run-process.mjs'), format: 'esm', minify: true });
    await bundle.close();
    const program = `
      import { runProcess } from './run-process.mjs';
      const ballast = Buffer.alloc(100 * 2 ** 20, 1);
      const call = () => runProcess({ file: 'sh', args: ${JSON.stringify(PARENT)}, env: { PATH: process.env.PATH } });
      await call();
      const { stdout } = await call();
      process.stdout.write(stdout.bytes.toString() + ballast.length);`;
    const args = ['--input-type=module', '-e', program];
    const { stdout } = expectExit(await runProcess({ file: process.execPath, args, env, cwd: folder }));
    expect(textOf(stdout)).toMatch(/^pegboard-spawn-helper\s+104857600$/);
  });

  it('spawns by itself where no helper can run', async () => {
    const program = `
      import { runProcess } from '${new URL('../run-process.ts', import.meta.url).href}';
      import { createSpawner } from '${new URL('spawner.ts', import.meta.url).href}';
      const spawner = createSpawner({ threshold: 0, directCalls: 0 });
      const { stdout } = await runProcess({ file: 'echo', args: ['done'], env: { PATH: process.env.PATH }, spawner });
      process.stdout.write(stdout.bytes);`;
    expect(await output(['--input-type=module', '-e', program], { TMPDIR: '/dev/null/nowhere' })).toBe('done\n');
  });

  it('keeps strangers from its sockets', async () => {
    const spawner = createSpawner({ threshold: 0, directCalls: 0 });
    onTestFinished(() => spawner.close());
    // A child looks for sockets and writes to each it finds: its connections are closed.
    const program = `
      const { globSync } = require('node:fs');
      for (const path of globSync(require('node:os').tmpdir() + '/pegboard-*/*/s')) {
        const socket = require('node:net').connect(path, () => socket.write('x'.repeat(100)));
        socket.on('error', () => {}).on('close', () => console.log('hung up')).resume();
      }`;
    const first = expectExit(await runProcess({ file: process.execPath, args: ['-e', program], env, spawner }));
    expect(textOf(first.stdout)).toContain('hung up');
    const exit = expectExit(await runProcess({ file: 'echo', args: ['mine'], env, spawner }));
    expect(textOf(exit.stdout)).toBe('mine\n');
  });

  it('reports arguments that the system refuses for their size', async () => {
    const spawner = { spawn: async () => ({ type: 'error', code: 'E2BIG', message: '' }) as const, close: () => {} };
    expect(await runProcess({ file: 'x', args: [], env, spawner })).toEqual({
      type: 'failed',
      reason: 'too_large',
      message:
        'The arguments and the environment are over what the system takes. Pass the data on standard input or in a file.',
    });
  });
});
