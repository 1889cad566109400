import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a file of this folder in a process of its own and gives the one message that it sends. */
export function forkBench(file: string, args: readonly string[] = []): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // A board in the process itself, except where the board of a machine is measured.
    const env = { ...process.env, PEGBOARD_STANDALONE: '1' };
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ['--expose-gc'], env });
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`bench/${file} ended with code ${code} and without figures.`)));
  });
}
