import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The arguments of a file, and the milliseconds after which it is ended. */
export interface ForkOptions {
  readonly args?: readonly string[];
  readonly time: number;
}

/** Runs a file in a process of its own. Gives the one message it sends, `undefined` where it fails or takes longer than it should. */
export function forkApart(file: URL, { args = [], time }: ForkOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // isolated-vm needs a process without Node's snapshot; it makes no difference to others.
    const child = fork(fileURLToPath(file), args, { execArgv: ['--no-node-snapshot'], silent: true });
    const said: Buffer[] = [];
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
    child.stdout?.resume();
    child.once('message', resolve);
    child.once('error', reject);
    const limit = setTimeout(() => child.kill('SIGKILL'), time);
    child.once('close', (code) => {
      clearTimeout(limit);
      if (code !== 0) process.stderr.write(Buffer.concat(said));
      resolve(undefined);
    });
  });
}
