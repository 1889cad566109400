import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a file of this folder in a process of its own and gives the one message that it sends. */
export function forkPart(file: string, parts: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // LanceDB says the same thing about its future with each query.
    const env = { ...process.env, LANCE_LOG: 'error', RUST_LOG: 'error' };
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), parts, { execArgv: ['--expose-gc'], env });
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`bench/rag/${file} ended with code ${code} and without figures.`)));
  });
}
