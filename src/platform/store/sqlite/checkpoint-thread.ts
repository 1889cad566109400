import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { findThreadProgram } from '../../process/thread-program.ts';

/** Bytes of a log at which it is copied into its file: 4,000 pages. */
const LARGE = 16 * 2 ** 20;

/**
 * Copies the log of a SQLite file into the file in a thread of its own.
 *
 * SQLite does that inside of the commit that makes the log too large, and waits for the disk twice: a busy server would stand still for
 * that long. The thread is started for the first log that is large, so that most boards never have one.
 */
export class CheckpointThread {
  readonly #file: string;
  #worker: Worker | undefined;
  #hasFailed = false;
  #isClosing = false;
  /** Ends the wait for the thread. */
  #answer: { resolve(): void; reject(error: unknown): void } | undefined;
  /** Ends with the checkpoint that runs. */
  #running: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Begins a checkpoint if the log is large. To be asked after writing much. */
  look(): void {
    if (this.#running !== undefined || this.#hasFailed) return;
    if (sizeOf(`${this.#file}-wal`) < LARGE) return;
    this.#running = this.#checkpoint().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    // Only who closes waits for the thread: until it has answered it keeps the process alive.
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
      // Without a thread the log is copied by the commits, as SQLite does by itself.
      this.#hasFailed = true;
    }
  }

  /** The module of threads is loaded for the first one: most boards start none. */
  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const program = findThreadProgram('checkpoint-worker', import.meta.url);
    // The options of this process, such as a loader of its tests, are not for this thread. It needs nothing of the environment.
    const worker = new Worker(program, { execArgv: [], env: {}, name: 'pegboard-checkpoint' });
    worker.on('message', () => this.#answer?.resolve());
    worker.on('error', (error) => this.#answer?.reject(error));
    worker.on('exit', () => this.#answer?.reject(new Error('The thread ended.')));
    // What is in the log is safe there: no process has to wait for the thread.
    worker.unref();
    return worker;
  }
}

/** 0 where it cannot be told: what was committed must not look as if it had failed. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
