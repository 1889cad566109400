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
  /** Ends with the checkpoint that runs. */
  #running: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Begins a checkpoint if the log is large. To be asked after writing much. */
  look(): void {
    if (this.#running !== undefined || this.#hasFailed) return;
    const size = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < LARGE) return;
    this.#running = this.#checkpoint().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#worker?.terminate();
  }

  async #checkpoint(): Promise<void> {
    try {
      const worker = (this.#worker ??= await start());
      await new Promise<void>((resolve, reject) => {
        worker.once('message', () => resolve());
        worker.once('error', reject);
        worker.once('exit', () => reject(new Error('The thread ended.')));
        worker.postMessage(this.#file);
      });
    } catch {
      // Without a thread the log is copied by the commits, as SQLite does by itself.
      this.#hasFailed = true;
    } finally {
      this.#worker?.removeAllListeners();
    }
  }
}

/** The module of threads is loaded for the first one: most boards start none. */
async function start(): Promise<Worker> {
  const { Worker } = await import('node:worker_threads');
  const program = findThreadProgram('checkpoint-worker', import.meta.url);
  // The options of this process, such as a loader of its tests, are not for this thread. It needs nothing of the environment.
  const worker = new Worker(program, { execArgv: [], env: {}, name: 'pegboard-checkpoint' });
  // What is in the log is safe there: no process has to wait for the thread.
  worker.unref();
  return worker;
}
