import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeExit } from './describe-exit.ts';
import { runProcess } from './run-process.ts';
import { findSandboxProblem, sandboxArgv, type SandboxRequest } from './sandbox.ts';
import { env, eventually, isAlive, temporaryFolder } from './spawners.test-helper.ts';
import { needs } from '../../../test/needs.test-helper.ts';

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

describe('a sandboxed command', needs('sandbox'), () => {
  beforeAll(async () => {
    // Determines which options sandboxArgv can use here.
    await findSandboxProblem();
    writeFileSync(join(hidden, 'secret'), 'secret');
  });

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

  it('has no capability and gets none', async () => {
    expect(await run("grep -E '^(Cap|NoNewPrivs)' /proc/self/status")).toBe(
      `${['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((set) => `Cap${set}:\t0000000000000000\n`).join('')}NoNewPrivs:\t1\n`,
    );
  });

  it.each([
    ['remounts', `mount -o remount,bind,rw ${readable}`],
    ['remounts the root', 'mount -o remount,rw /'],
    ['mounts', 'mount -t tmpfs none /tmp'],
    ['binds', `mount --bind /tmp ${readable}`],
    ['unmounts', `umount ${writable}`],
    ['changes the root', 'chroot / true'],
    ['makes a device', 'mknod /tmp/disk b 8 0'],
    ['makes a user namespace', 'unshare --user --map-root-user true'],
    ['makes a mount namespace', 'unshare --mount true'],
    ['becomes another user', 'setpriv --reuid 65534 --clear-groups true'],
    ['changes the system', 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'],
    ['asks the kernel to reboot', 'test -w /proc/sysrq-trigger'],
    ['looks into a process outside', `ls /proc/${process.pid}/root`],
    ['changes the name of the machine', 'hostname other || echo other > /proc/sys/kernel/hostname'],
    ['raises its priority', 'nice -n -5 true 2>&1 | grep . && exit 1'],
  ])('neither %s', async (_what, script) => {
    const before = readFileSync(join(readable, 'file'), 'utf8');
    const outcome = await runProcess({ ...sandboxArgv({ file: 'bash', args: ['-c', script], folders }), env });
    expect(outcome.type === 'exited' && outcome.code !== 0 ? 'refused' : describeExit(outcome)).toBe('refused');
    expect(readFileSync(join(readable, 'file'), 'utf8')).toBe(before);
  });

  it('cannot write what is read-only, nor remount it', async () => {
    const script = `mount -o remount,bind,rw ${readable}; mount -o remount,rw ${readable}; echo x > ${readable}/file`;
    expect(await run(script)).toContain(`${readable}/file: Read-only file system`);
    expect(readFileSync(join(readable, 'file'), 'utf8')).toBe(`in ${readable}`);
  });

  it('gains nothing from a setuid program of root', async () => {
    const program = join(writable, 'id');
    copyFileSync(realpathSync('/usr/bin/id'), program);
    chmodSync(program, 0o4755);
    const script = `${program} -u; grep CapEff /proc/self/status; setpriv --dump | grep 'no_new_privs'`;
    expect(await run(script)).toBe(`${process.getuid?.()}\nCapEff:\t0000000000000000\nno_new_privs: 1\n`);
  });

  it('has no terminal to type into', async () => {
    expect(await run('exec 3<>/dev/tty')).toContain('/dev/tty: No such device or address');
    expect(await run('ps -o sid= -p $$ 2>/dev/null || cut -d" " -f6 /proc/$$/stat')).toMatch(/^\s*[1-4]\n$/);
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
});

/** Lists the processes `sleep 61234`, a duration that no other process uses. */
function findSleepers(): number[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((path) => {
    try {
      return readFileSync(path, 'latin1') === 'sleep\x0061234\0' ? [Number(path.split('/')[2])] : [];
    } catch {
      return [];
    }
  });
}
