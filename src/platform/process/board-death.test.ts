import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProcess } from './run-process.ts';
import { env, eventually, expectExit, isAlive, readPids, temporaryFolder, textOf } from './spawners.test-helper.ts';
import { createSpawner } from './spawn/spawner.ts';

const folder = temporaryFolder();
const href = (file: string): string => new URL(file, import.meta.url).href;
let files = 0;

/** Returns the program of a board that runs a shell script. `before` may use `controller`, `after` also `running`. */
function boardProgram(script: string, options: { threshold: number; before?: string; after?: string }): string {
  return `
    import { runProcess } from '${href('run-process.ts')}';
    import { createSpawner } from '${href('spawn/spawner.ts')}';
    const spawner = createSpawner({ threshold: ${options.threshold}, directCalls: 0 });
    const controller = new AbortController();
    const env = { PATH: process.env.PATH };
    ${options.before ?? ''}
    const running = runProcess({ file: 'bash', args: ['-c', ${JSON.stringify(script)}], env, spawner, signal: controller.signal });
    ${options.after ?? ''}`;
}

function startBoard(
  program: string,
  stderr: 'inherit' | 'ignore' = 'inherit',
): ChildProcess & { readonly pid: number } {
  const board = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', stderr],
  });
  onTestFinished(() => void board.kill('SIGKILL'));
  const { pid } = board;
  if (pid === undefined) throw new Error('The board did not start.');
  return Object.assign(board, { pid });
}

const exited = (board: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => board.once('exit', (code) => resolve(code)));

/** Lists the living helpers of a board. */
function findHelpers(board: number): number[] {
  return findProcesses(board, 'pegboard-spawn-helper');
}

/** Lists the living children of a board whose command line contains a text. */
function findProcesses(board: number, name: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
        return Number(parent) === board && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(name);
      } catch {
        return false;
      }
    });
}

describe.runIf(process.platform === 'linux').each([
  { way: 'directly', threshold: 1e15 },
  { way: 'by the helper', threshold: 0 },
])('a board that is killed with -9, with children started $way', ({ threshold }) => {
  it('leaves neither them nor what they started behind', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const note = `echo \\$\\$ >> ${pidFile}; exec sleep 600`;
    const script = [
      `(echo $BASHPID >> ${pidFile}; sleep 600) &`,
      // Processes that leave the group: with a parent that stays, with one that exits, and without the marker.
      `setsid bash -c "${note}" &`,
      `(setsid bash -c "${note}" &) ;`,
      `env -i /usr/bin/setsid /bin/bash -c "${note}" &`,
      `(env -i /usr/bin/setsid /bin/bash -c "${note}" &) ;`,
      `echo $$ >> ${pidFile}; wait`,
    ].join(' ');
    const board = startBoard(boardProgram(script, { threshold }));
    const pids = await readPids(pidFile, 6);
    const helpers = findHelpers(board.pid);
    expect(helpers).toHaveLength(threshold === 0 ? 1 : 0);
    process.kill(board.pid, 'SIGKILL');
    expect(await eventually(() => ![...helpers, ...pids].some(isAlive))).toBe(true);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGINT'] as const)('leaves nothing when it dies of %s', async (signal) => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `trap '' TERM HUP; (setsid bash -c "echo \\$\\$ >> ${pidFile}; exec sleep 600" &) ; echo $$ >> ${pidFile}; while :; do sleep 600; done`;
    const board = startBoard(boardProgram(script, { threshold }));
    const pids = await readPids(pidFile, 2);
    process.kill(board.pid, signal);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('leaves nothing when it dies of an error', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `echo $$ >> ${pidFile}; exec sleep 600`;
    const before = "process.on('SIGUSR2', () => { throw new Error('on purpose'); });";
    const board = startBoard(boardProgram(script, { threshold, before }), 'ignore');
    const pids = await readPids(pidFile, 1);
    process.kill(board.pid, 'SIGUSR2');
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('the watcher of a board', () => {
  const findWatcher = (board: number): number | undefined => findProcesses(board, 'pegboard-watcher')[0];

  it('runs while a call does, ends with the board, and keeps processes of finished calls', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `(setsid bash -c "echo \\$\\$ >> ${pidFile}; exec sleep 600" &)`;
    const after = `await running; (await import('node:fs')).appendFileSync('${pidFile}', process.pid + '\\n'); setInterval(() => {}, 1000);`;
    const board = startBoard(boardProgram(script, { threshold: 1e15, after }));
    const left = (await readPids(pidFile, 2)).find((pid) => pid !== board.pid) ?? 0;
    const watcher = findWatcher(board.pid) ?? 0;
    expect(isAlive(watcher)).toBe(true);
    process.kill(board.pid, 'SIGKILL');
    expect(await eventually(() => !isAlive(watcher))).toBe(true);
    expect(isAlive(left)).toBe(true);
    process.kill(left, 'SIGKILL');
  });

  it('always covers a process that outlives its call', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const program = `
      import { Socket } from 'node:net';
      import { existsSync } from 'node:fs';
      import { startProcess } from '${href('run-process.ts')}';
      const { write } = Socket.prototype;
      // Dies just after the watcher was asked to forget a call.
      Socket.prototype.write = function (chunk, ...rest) {
        const isWritten = write.call(this, chunk, ...rest);
        if (/^\\d+\\n$/.test(String(chunk))) process.kill(process.pid, 'SIGKILL');
        return isWritten;
      };
      const args = ['-c', 'echo $$ > ${pidFile}; exec sleep 600'];
      await startProcess({ file: 'sh', args, env: { PATH: process.env.PATH } });
      while (!existsSync('${pidFile}')) await new Promise((resolve) => setTimeout(resolve, 5));
      process.kill(process.pid, 'SIGKILL');`;
    await exited(startBoard(program));
    const pids = await readPids(pidFile, 1);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('is replaced when it is killed itself', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `echo $$ >> ${pidFile}; exec sleep 600`;
    const board = startBoard(boardProgram(script, { threshold: 1e15 }));
    const pids = await readPids(pidFile, 1);
    const watcher = findWatcher(board.pid) ?? 0;
    process.kill(watcher, 'SIGKILL');
    expect(await eventually(() => (findWatcher(board.pid) ?? watcher) !== watcher)).toBe(true);
    process.kill(board.pid, 'SIGKILL');
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });
});

describe.each([
  { way: 'directly', threshold: 1e15 },
  { way: 'by the helper', threshold: 0 },
])('a board that exits, with children started $way', ({ threshold }) => {
  it('kills what still runs', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `setsid bash -c "echo \\$\\$ >> ${pidFile}; sleep 600" & echo $$ >> ${pidFile}; wait`;
    const before = "process.on('SIGUSR2', () => process.exit(5));";
    const board = startBoard(boardProgram(script, { threshold, before }));
    const pids = await readPids(pidFile, 2);
    const end = exited(board);
    process.kill(board.pid, 'SIGUSR2');
    expect(await end).toBe(5);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('is not held back by its spawner or by the grace time, and leaves nothing', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `bash -c "trap '' TERM; echo \\$\\$ >> ${pidFile}; while :; do sleep 600; done" & echo $$ >> ${pidFile}; wait`;
    const before = "process.once('SIGUSR2', () => controller.abort());";
    const after = 'await running; process.exitCode = 6;';
    const board = startBoard(boardProgram(script, { threshold, before, after }));
    const pids = await readPids(pidFile, 2);
    const helpers = findHelpers(board.pid);
    const end = exited(board);
    process.kill(board.pid, 'SIGUSR2');
    expect(await end).toBe(6);
    expect(await eventually(() => ![...pids, ...helpers].some(isAlive))).toBe(true);
    const left = readdirSync(join(tmpdir(), `pegboard-${process.getuid?.()}`)).filter((name) =>
      name.includes(`-${board.pid}-`),
    );
    expect(threshold === 0 ? left : []).toEqual([]);
  });

  it('is found completely by an outer board', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `trap '' TERM; echo $$ >> ${pidFile}; while :; do sleep 600; done`;
    const controller = new AbortController();
    const args = ['--input-type=module', '-e', boardProgram(script, { threshold })];
    const running = runProcess({ file: process.execPath, args, env, signal: controller.signal, grace: 50 });
    const pids = await readPids(pidFile, 1);
    controller.abort();
    expect(expectExit(await running).signal).toBe('SIGTERM');
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('a helper that is killed', () => {
  it('fails the calls in flight, ends their children and is replaced', async () => {
    const spawner = createSpawner({ threshold: 0, directCalls: 0 });
    onTestFinished(() => spawner.close());
    const pidFile = join(folder, `pids-${files++}`);
    const before = findHelpers(process.pid);
    const running = runProcess({ file: 'bash', args: ['-c', `echo $$ >> ${pidFile}; exec sleep 600`], env, spawner });
    const [pid = 0] = await readPids(pidFile, 1);
    for (const helper of findHelpers(process.pid)) if (!before.includes(helper)) process.kill(helper, 'SIGKILL');
    expect(await running).toEqual({
      type: 'failed',
      reason: 'other',
      message: 'The helper process that starts command lines ended unexpectedly. Call again.',
    });
    expect(await eventually(() => !isAlive(pid))).toBe(true);
    const exit = expectExit(await runProcess({ file: 'echo', args: ['again'], env, spawner }));
    expect(textOf(exit.stdout)).toBe('again\n');
  });

  it('leaves no child behind whose start was not reported', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    // The sockets of the child never identify themselves, so the board is waiting for them when the helper dies.
    const before = `
      const { Socket } = await import('node:net');
      const { read } = Socket.prototype;
      Socket.prototype.read = function (size) { return size === undefined ? read.call(this) : null; };
      setInterval(() => {}, 1000);`;
    const script = `echo $$ >> ${pidFile}; exec sleep 600`;
    const board = startBoard(boardProgram(script, { threshold: 0, before }));
    const pids = await readPids(pidFile, 1);
    for (const helper of findHelpers(board.pid)) process.kill(helper, 'SIGKILL');
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
    expect(isAlive(board.pid)).toBe(true);
  });
});
