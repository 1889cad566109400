import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A server in a process of its own. */
export interface RunningServer {
  readonly url: string;
  stop(): void;
}

/** Starts the raw server and waits until it says where it is. */
export async function startServer(): Promise<RunningServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'raw-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk).trim()));
    child.once('exit', (code) => reject(new Error(`The raw server ended with ${code}.`)));
  });
  return { url, stop: end };
}
