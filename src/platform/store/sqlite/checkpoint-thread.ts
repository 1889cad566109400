import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { findThreadProgram } from '../../process/task-thread.ts';

/** Log size at which it is copied to its file: 4,000 pages. */
const LARGE = 16 * 2 ** 20;

/**
 * Copies the log of an SQLite file to the file in a separate thread.
 *
 * SQLite does this inside the commit that makes the log too large, and waits for the disk twice, which would stall a busy server. The
 * thread starts with the first large log, so most boards never have one.
 */
export class CheckpointThread {
  readonly #file: string;
  #worker: Worker | undefined;
  #hasFailed = false;
  #isClosing = false;
  /** Settles the wait for the thread. */
  #answer: { resolve(): void; reject(error: unknown): void } | undefined;
  /** Settles with the running checkpoint. */
  #running: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Starts a checkpoint if the log is large. Call it after large writes. */
  look(): void {
    if (this.#running !== undefined || this.#hasFailed) return;
    if (sizeOf(`${this.#file}-wal`) < LARGE) return;
    this.#running = this.#checkpoint().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    // Only closing waits for the thread and keeps the process alive until then.
    this.#isClosing = true;
    this.#worker?.ref();
    await this.#running;
    await this.#worker?.terminate();
  }

  async #checkpoint(): Promise<void> {
    try {
      const worker = (this.#worker ??= await this.#start());
      if (this.#isClosing) worker.ref();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#answer = { resolve, reject };
      worker.postMessage(this.#file);
      await promise;
    } catch {
      // Without a thread, commits copy the log, which is SQLite's default.
      this.#hasFailed = true;
    }
  }

  /** Loads the thread module on first use: most boards start no thread. */
  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const program = findThreadProgram('checkpoint-worker', import.meta.url);
    // Options of this process, such as a test loader, are not for this thread, and it needs no environment.
    const worker = new Worker(program, { execArgv: [], env: {}, name: 'pegboard-checkpoint' });
    worker.on('message', () => this.#answer?.resolve());
    worker.on('error', (error) => this.#answer?.reject(error));
    worker.on('exit', () => this.#answer?.reject(new Error('The thread ended.')));
    // Data in the log is safe: no process has to wait for the thread.
    worker.unref();
    return worker;
  }
}

/** Returns 0 when the size is unknown: a committed write must not appear to fail. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
