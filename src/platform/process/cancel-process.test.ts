import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type ProcessTree, signalTree } from './trees/kill-tree.ts';
import type { ProcessExit, ProcessRequest } from './process-request.ts';
import { runProcess } from './run-process.ts';
import { createSpawner } from './spawn/spawner.ts';
import {
  describeBothWays,
  env,
  eventually,
  expectExit,
  isAlive,
  readPids,
  type Run,
  temporaryFolder,
  textOf,
} from './spawners.test-helper.ts';

const folder = temporaryFolder();
let files = 0;

/** Starts a shell script whose processes write their pids to `$PIDS`, and cancels it once there are `count`. */
async function cancel(
  run: Run,
  script: string,
  { count = 1, ...more }: Partial<ProcessRequest> & { count?: number } = {},
) {
  const pidFile = join(folder, `pids-${files++}`);
  const controller = new AbortController();
  const running = run('bash', ['-c', script], { env: { ...env, PIDS: pidFile }, signal: controller.signal, ...more });
  const pids = await readPids(pidFile, count);
  controller.abort();
  const exit: ProcessExit = expectExit(await running);
  return { exit, pids };
}

const allDead = (pids: readonly number[]): boolean => !pids.some(isAlive);

describeBothWays('cancelling', (run) => {
  it('ends a sleeper with TERM and keeps its output so far', async () => {
    const { exit, pids } = await cancel(run, 'echo begun; echo $$ >> $PIDS; exec sleep 600');
    expect([exit.code, exit.signal, textOf(exit.stdout)]).toEqual([null, 'SIGTERM', 'begun\n']);
    expect(allDead(pids)).toBe(true);
  });

  it('lets a child clean up on TERM', async () => {
    const { exit } = await cancel(run, 'trap "echo tidy; exit 7" TERM; echo $$ >> $PIDS; sleep 600 & wait');
    expect([exit.code, textOf(exit.stdout)]).toEqual([7, 'tidy\n']);
  });

  it('ends the whole tree', async () => {
    const script = '(echo $BASHPID >> $PIDS; (echo $BASHPID >> $PIDS; sleep 600) & sleep 600) & echo $$ >> $PIDS; wait';
    const { pids } = await cancel(run, script, { count: 3 });
    expect(await eventually(() => allDead(pids))).toBe(true);
  });

  it('kills a child that ignores TERM after the grace time', async () => {
    const { exit, pids } = await cancel(run, 'trap "" TERM; echo $$ >> $PIDS; while :; do sleep 600; done', {
      grace: 50,
    });
    expect(exit.signal).toBe('SIGKILL');
    expect(allDead(pids)).toBe(true);
  });

  it('answers when the child is gone, and still kills a grandchild that ignores TERM', async () => {
    const script =
      'bash -c "trap \'\' TERM; echo \\$\\$ >> $PIDS; while :; do sleep 600; done" & echo $$ >> $PIDS; wait';
    const { exit, pids } = await cancel(run, script, { count: 2, grace: 300 });
    expect(exit.signal).toBe('SIGTERM');
    expect(allDead(pids)).toBe(false);
    expect(await eventually(() => allDead(pids))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('finds a grandchild that left with setsid', async () => {
    const script =
      'setsid bash -c "trap \'\' TERM; echo \\$\\$ >> $PIDS; while :; do sleep 600; done" & echo $$ >> $PIDS; wait';
    const { pids } = await cancel(run, script, { count: 2, grace: 20 });
    expect(await eventually(() => allDead(pids))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('finds one that left with setsid and whose parent is gone', async () => {
    const script =
      '(setsid bash -c "echo \\$\\$ >> $PIDS; exec sleep 600" &) ; sleep 0.05; echo $$ >> $PIDS; exec sleep 600';
    const { pids } = await cancel(run, script, { count: 2, grace: 20 });
    expect(await eventually(() => allDead(pids))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('finds one that left with setsid and emptied its environment', async () => {
    const script =
      'env -i /usr/bin/setsid /bin/bash -c "echo \\$\\$ >> $PIDS; exec sleep 600" & echo $$ >> $PIDS; wait';
    const { pids } = await cancel(run, script, { count: 2, grace: 20 });
    expect(await eventually(() => allDead(pids))).toBe(true);
  });

  it.runIf(process.platform === 'linux')('finds the orphans of several calls that end together', async () => {
    // Its parent has exited, so only its environment identifies it.
    const orphan =
      '(setsid bash -c "trap \'\' TERM; echo \\$\\$ >> $PIDS; while :; do sleep 600; done" &) ; echo $$ >> $PIDS; exec sleep 600';
    const ended = await Promise.all([1, 2, 3].map(() => cancel(run, orphan, { count: 2, grace: 20 })));
    for (const { pids } of ended) expect(await eventually(() => allDead(pids))).toBe(true);
  });

  it('does not wait for a grandchild that holds the output open, and leaves it alone after a normal exit', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const script = `(echo $BASHPID >> ${pidFile}; sleep 0.3; echo late; echo alive > ${pidFile}.late; exec sleep 600) & echo done`;
    const exit = expectExit(await run('bash', ['-c', script]));
    expect([exit.code, textOf(exit.stdout)]).toEqual([0, 'done\n']);
    const [pid = 0] = await readPids(pidFile, 1);
    // It writes to its output after the answer, and must survive that.
    await eventually(() => existsSync(`${pidFile}.late`));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('answers although a grandchild keeps writing', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const exit = expectExit(await run('bash', ['-c', `(echo $BASHPID >> ${pidFile}; exec yes) & exit 4`]));
    expect(exit.code).toBe(4);
    const [pid = 0] = await readPids(pidFile, 1);
    process.kill(pid, 'SIGKILL');
  });

  it('waits for what a child wrote last', async () => {
    const exit = expectExit(await run('bash', ['-c', 'head -c 900000 /dev/zero | tr "\\0" x; echo end >&2']));
    expect([textOf(exit.stdout).length, textOf(exit.stderr)]).toEqual([900_000, 'end\n']);
  });
});

it.runIf(process.platform === 'linux')('cancels 300 calls at once with a few scans', async () => {
  const spawner = createSpawner({ threshold: 0, directCalls: 0 });
  const pidFile = join(folder, `pids-${files++}`);
  const controller = new AbortController();
  // One of the two leaves the group, so signalling groups is not enough.
  const script = 'setsid sh -c "echo \\$\\$ >> $PIDS; exec sleep 600" & echo $$ >> $PIDS; wait';
  const request = { file: 'sh', args: ['-c', script], env: { ...env, PIDS: pidFile }, spawner, grace: 50 };
  const running = Array.from({ length: 300 }, () => runProcess({ ...request, signal: controller.signal }));
  const pids = await readPids(pidFile, 600);
  const looks = vi.spyOn(fs, 'readdirSync');
  syncBuiltinESMExports();
  controller.abort();
  const outcomes = await Promise.all(running);
  expect(outcomes.every((outcome) => outcome.type === 'exited' && outcome.signal === 'SIGTERM')).toBe(true);
  expect(await eventually(() => allDead(pids))).toBe(true);
  const scans = looks.mock.calls.filter(([folder]) => folder === '/proc').length;
  expect(scans > 0 && scans < 30 ? 'few' : scans).toBe('few');
  looks.mockRestore();
  syncBuiltinESMExports();
  spawner.close();
});

describeBothWays('signalTree', (run) => {
  it.runIf(process.platform === 'linux')('does not signal a pid that may have been reused', async () => {
    const pidFile = join(folder, `pids-${files++}`);
    const controller = new AbortController();
    const running = run('bash', ['-c', `echo $$ >> ${pidFile}; exec sleep 600`], { signal: controller.signal });
    const [pid = 0] = await readPids(pidFile, 1);
    const mark = { id: 'f'.repeat(32), slack: undefined, since: 0 };
    const stale: ProcessTree = { pid, mark, isReaped: true, seen: new Map() };
    expect([signalTree(stale, 0), signalTree(stale, 'SIGKILL')]).toEqual([0, 0]);
    const known: ProcessTree = { ...stale, isReaped: false };
    expect(signalTree(known, 0)).toBe(1);
    controller.abort();
    expect(expectExit(await running).signal).toBe('SIGTERM');
  });
});
