import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import type { CapturedOutput } from '../outputs/output-capture.ts';
import type { ProcessExit, ProcessOutcome, ProcessRequest } from './process-request.ts';
import { runProcess } from './run-process.ts';
import { createSpawner, type Spawner } from './spawn/spawner.ts';

/** The environment of children in tests. */
export const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

/** Runs one command line with the common settings of the tests. */
export type Run = (file: string, args: readonly string[], more?: Partial<ProcessRequest>) => Promise<ProcessOutcome>;

/** Describes the same behaviour twice: for children of this process and of the helper. */
export function describeBothWays(name: string, body: (run: Run, spawner: Spawner) => void): void {
  describe.each([
    { way: 'directly', threshold: Number.POSITIVE_INFINITY },
    { way: 'by the helper', threshold: 0 },
  ])(`${name}, started $way`, ({ threshold }) => {
    const spawner = createSpawner({ threshold, directCalls: 0 });
    afterAll(() => spawner.close());
    body((file, args, more) => runProcess({ file, args, env, spawner, ...more }), spawner);
  });
}

/** Returns an outcome that must be an exit. */
export function expectExit(outcome: ProcessOutcome): ProcessExit {
  if (outcome.type === 'exited') return outcome;
  throw new Error(`The command did not run: ${outcome.message}`);
}

/** Returns a complete output as text. */
export function textOf(output: CapturedOutput): string {
  if (output.type === 'whole') return output.bytes.toString('utf8');
  throw new Error(`The output was shortened: ${output.size} bytes.`);
}

/** Creates a folder that is removed after the tests of this file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns true when a process runs, and false for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return process.platform !== 'linux';
  }
}

/** Polls until a condition holds; the timeout of the test ends the wait otherwise. */
export async function eventually<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits for `count` pids that a test's processes write to a file. */
export async function readPids(path: string, count: number): Promise<number[]> {
  return eventually(() => {
    try {
      const pids = readFileSync(path, 'utf8').trim().split('\n').map(Number);
      return pids.length >= count && pids.every((pid) => pid > 0) && pids;
    } catch {
      return undefined;
    }
  });
}
