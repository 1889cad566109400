// Limits of commands: real commands that want more than they may use, and the messages of their results.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBoard } from '../../src/board/open-board.ts';
import type { Board } from '../../src/board/board.ts';
import { findLimitsProblem } from '../../src/platform/process/command-limits.ts';
import { eventually, isAlive } from '../../src/platform/process/spawners.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

const top = mkdtempSync(join(tmpdir(), 'pegboard-limits-'));
// The board's data must not lie in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
const boards: Board[] = [];
afterAll(async () => {
  await Promise.all(boards.map((board) => board.close()));
  rmSync(top, { recursive: true, force: true });
});
let files = 0;

/** Calls a shell script as a tool with these settings. */
async function run(script: string, settings: string): Promise<{ ok: boolean; text: string }> {
  const file = join(folder, `board-${files++}.yaml`);
  const command = JSON.stringify(['bash', '-c', script]);
  writeFileSync(
    file,
    `tools:\n  - { type: cli, name: greedy, description: Greedy, timeout: 10m, command: ${command}, ${settings} }\n`,
  );
  const board = await openBoard(file, { cwd: folder, data: join(top, 'data') });
  boards.push(board);
  const { ok, text } = await board.call('greedy');
  return { ok, text };
}

const problem = await findLimitsProblem();
describe.skipIf(problem !== undefined)('limits', () => {
  it('leave a command alone that stays within them', async () => {
    const limits = 'limits: { cpu: 60s, memory: 1GB, processes: 50, file_size: 10MB }';
    expect(await run('echo x > small; (echo fine)', limits)).toEqual({ ok: true, text: 'fine\n' });
  });

  it('end a command that takes too much CPU time', async () => {
    expect(await run('echo begun; while :; do :; done', 'limits: { cpu: 1s }')).toEqual({
      ok: false,
      text: 'begun\n\n[killed by SIGXCPU]\n[ended by limits.cpu: 1 s of CPU time]',
    });
    const inChild = await run('bash -c "while :; do :; done"; exit $?', 'limits: { cpu: 1 }');
    expect(inChild.text).toMatch(/\[exit code: 152\]\n\[ended by limits.cpu: 1 s of CPU time\]$/);
    const stubborn = await run('trap "" XCPU; while :; do :; done', 'limits: { cpu: 1 }');
    expect(stubborn.text).toMatch(/\[killed by SIGKILL\]\n\[ended by limits.cpu: 1 s of CPU time\]$/);
  });

  it('end a command that writes too large a file', async () => {
    const { ok, text } = await run('exec head -c 3000000 /dev/zero > large', 'limits: { file_size: 1MB }');
    expect([ok, text]).toEqual([false, '[killed by SIGXFSZ]\n[ended by limits.file_size: 1 MB a file]']);
    expect(statSync(join(folder, 'large')).size).toBeLessThanOrEqual(1_048_576);
  });

  it('end a command of which one process takes too much memory', async () => {
    const { ok, text } = await run('set -o pipefail; head -c 300000000 /dev/zero | tail', 'limits: { memory: 64MB }');
    expect(ok).toBe(false);
    expect(text).toMatch(/\[ended by limits\.memory: 64 MB of memory\]$/);
  });

  it('end a command whose processes take too much memory together', async () => {
    // Each holds about 24 MB and then waits. A last command that is not sleep: bash would become it, and let go of the memory.
    const one = 'bash -c "x=\\$(head -c 12000000 /dev/zero | tr \'\\\\0\' x); echo \\${#x} >&2; sleep 600; :" &';
    const { ok, text } = await run(`for i in 1 2 3 4 5 6; do ${one} done; wait`, 'limits: { memory: 64MB }');
    expect(ok).toBe(false);
    expect(text).toMatch(/\[ended by limits\.memory: 64 MB of memory\]$/);
  });

  it('end a command with too many processes, and all of them', async () => {
    const script = 'for i in $(seq 30); do (echo $BASHPID >> pids; exec setsid sleep 600) & done; wait';
    const { ok, text } = await run(script, 'limits: { processes: 10 }');
    expect([ok, text]).toEqual([false, '[killed by SIGKILL]\n[ended by limits.processes: 10 processes]']);
    const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(await eventually(() => !pids.some(isAlive))).toBe(true);
  });

  it('are told in a dry run, and for run tools too', async () => {
    const file = join(folder, `board-${files++}.yaml`);
    writeFileSync(
      file,
      `tools:\n  - { type: run, name: two, description: Two, commands: [{ cmd: "true" }], limits: { cpu: 1500ms, file_size: 1.5KB } }\n`,
    );
    const board = await openBoard(file, { cwd: folder, data: join(top, 'data') });
    boards.push(board);
    expect((await board.dryRun('two')).steps).toMatchObject([
      { argv: ['prlimit', '--core=0:0', '--cpu=2:3', '--fsize=1536:1536', '--', 'true'] },
    ]);
  });
});

it.skipIf(problem !== undefined)('hold inside a sandbox', needs('sandbox'), async () => {
  const settings = 'sandbox: bwrap, limits: { cpu: 1s, processes: 12 }';
  const sandboxed = (script: string): Promise<{ ok: boolean; text: string }> =>
    run(script, settings).then(({ ok, text }) => ({ ok, text: text.replace(/^bwrap: .*\n/, '') }));
  expect((await sandboxed('while :; do :; done')).text).toMatch(/\[ended by limits\.cpu: 1 s of CPU time\]$/);
  expect((await sandboxed('for i in $(seq 30); do sleep 600 & done; wait')).text).toMatch(
    /\[ended by limits\.processes: 12 processes\]$/,
  );
});
