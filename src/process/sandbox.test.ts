import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeExit } from './describe-exit.ts';
import { runProcess } from './run-process.ts';
import { findSandboxProblem, sandboxArgv, type SandboxRequest } from './sandbox.ts';
import { env, eventually, isAlive, temporaryFolder } from './spawners.test-helper.ts';

const folder = realpathSync(temporaryFolder());
const readable = join(folder, 'readable');
const writable = join(readable, 'writable');
const hidden = join(folder, 'hidden');
for (const path of [readable, writable, hidden]) {
  mkdirSync(path);
  writeFileSync(join(path, 'file'), `in ${path}`);
}
const folders = { read: [readable], write: [writable] };

const run = async (script: string, more: Partial<SandboxRequest> = {}): Promise<string> =>
  describeExit(await runProcess({ ...sandboxArgv({ file: 'bash', args: ['-c', script], folders, ...more }), env }));

describe('sandboxArgv', () => {
  it('names the folders, outer ones first, and keeps the command line apart from its own options', () => {
    const { file, args } = sandboxArgv({ file: '--x', args: ['--bind', '/', '/'], folders, cwd: writable });
    expect(file).toBe('bwrap');
    expect(args.slice(args.indexOf('--tmpfs')).join(' ')).toBe(
      `--tmpfs /tmp --ro-bind ${readable} ${readable} --bind ${writable} ${writable} --chdir ${writable} -- --x --bind / /`,
    );
    expect(args).toContain('--unshare-net');
    expect(sandboxArgv({ file: 'x', args: [], network: true }).args).not.toContain('--unshare-net');
  });
});

const problem = await findSandboxProblem();
describe.skipIf(problem !== undefined)(
  `a sandboxed command${problem === undefined ? '' : ` (skipped: ${problem})`}`,
  () => {
    beforeAll(() => writeFileSync(join(hidden, 'secret'), 'secret'));

    it('reads and writes where it may, and nowhere else', async () => {
      expect(await run(`cat ${readable}/file`)).toBe(`in ${readable}`);
      expect(await run(`echo new > ${writable}/file && cat ${writable}/file`)).toBe('new\n');
      expect(readFileSync(join(writable, 'file'), 'utf8')).toBe('new\n');
      expect(await run(`echo x > ${readable}/file`)).toContain('Read-only file system');
      expect(await run(`cat ${hidden}/secret`)).toContain('No such file or directory');
      expect(await run('cat /etc/shadow')).toContain('No such file or directory');
    });

    it('runs in its working directory', async () => {
      expect(await run('pwd', { cwd: writable })).toBe(`${writable}\n`);
    });

    it('sees no process but its own', async () => {
      expect(await run('ls -d /proc/[0-9]* | wc -l')).toMatch(/^[1-4]\n$/);
    });

    it('reaches the network only when it may', async () => {
      const server = createServer((socket) => socket.end('hello'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      expect(await run(script, { network: true })).toBe('hello');
      expect(await run(script)).toContain('Connection refused');
      server.close();
    });

    it('leaves nothing behind when the board is killed with -9, setsid or not', async () => {
      const program = `
      import { runProcess } from '${new URL('run-process.ts', import.meta.url).href}';
      const { file, args } = ${JSON.stringify(sandboxArgv({ file: 'bash', args: ['-c', 'setsid sleep 61234 & sleep 61234'] }))};
      await runProcess({ file, args, env: { PATH: process.env.PATH } });`;
      const board = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
      const sleepers = await eventually(() => {
        const found = findSleepers();
        return found.length >= 2 && found;
      });
      board.kill('SIGKILL');
      expect(await eventually(() => !sleepers.some(isAlive))).toBe(true);
    });
  },
);

/** The processes `sleep 61234`, a number that nobody else sleeps for. */
function findSleepers(): number[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((path) => {
    try {
      return readFileSync(path, 'latin1') === 'sleep\x0061234\0' ? [Number(path.split('/')[2])] : [];
    } catch {
      return [];
    }
  });
}
