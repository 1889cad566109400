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

/** Runs one command line with what the tests of a way of spawning have in common. */
export type Run = (file: string, args: readonly string[], more?: Partial<ProcessRequest>) => Promise<ProcessOutcome>;

/** Describes the same behaviour twice: children of this process, and children of the helper. */
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

/** An outcome that must be an exit. */
export function expectExit(outcome: ProcessOutcome): ProcessExit {
  if (outcome.type === 'exited') return outcome;
  throw new Error(`The command did not run: ${outcome.message}`);
}

/** All of an output, which must not be shortened. */
export function textOf(output: CapturedOutput): string {
  if (output.type === 'whole') return output.bytes.toString('utf8');
  throw new Error(`The output was shortened: ${output.size} bytes.`);
}

/** A folder that is removed after the tests of this file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether a process runs; one that only waits to be reaped does not. */
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

/** Waits until something is so, looking often; the limit of the test ends a wait in vain. */
export async function eventually<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The numbers that a test's processes wrote into a file, once there are `count` of them. */
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
