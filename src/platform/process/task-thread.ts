import type { Worker } from 'node:worker_threads';
import { FairSlots } from '../fair-slots.ts';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ToolError } from '../../tool/tool-error.ts';

interface TaskThreadOptions {
  /** The file of its program, which answers each message with one message. */
  readonly program: () => URL;
  readonly name: string;
  /** Milliseconds for one task. */
  readonly patience: number;
  /** Memory limit in megabytes. Default: that of the process. */
  readonly memory?: number;
  /** Maximum number of waiting tasks. Default: unlimited. */
  readonly queue?: number;
}

/** The result of a task. `busy`: too many tasks waited; `failed`: it crashed the thread or exceeded its limits. */
type TaskEnd<Answer> =
  | { readonly type: 'done'; readonly answer: Answer }
  | { readonly type: 'busy' }
  | { readonly type: 'failed' };

/** Milliseconds after which an idle thread ends. */
const IDLE_TIME = 30_000;

/** Runs tasks one by one in a separate thread, started with the first task. Callers take turns. */
export class TaskThread<Task, Answer> {
  readonly #options: TaskThreadOptions;
  readonly #slots: FairSlots;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
    this.#slots = new FairSlots({ limit: 1, queue: options.queue });
  }

  async run(task: Task, caller: string): Promise<TaskEnd<Answer>> {
    const ticket = this.#slots.take(caller);
    if (ticket === undefined) return { type: 'busy' };
    try {
      await ticket.granted;
      return await this.#runNow(task);
    } finally {
      ticket.leave();
    }
  }

  async #runNow(task: Task): Promise<TaskEnd<Answer>> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= await this.#start());
    // A task keeps the process alive; an idle thread does not.
    worker.ref();
    return new Promise<TaskEnd<Answer>>((resolve) => {
      const fail = (): void => {
        clearTimeout(timer);
        this.#drop(worker);
        resolve({ type: 'failed' });
      };
      const timer = setTimeout(fail, this.#options.patience);
      worker.once('error', fail);
      worker.once('exit', fail);
      worker.once('message', (answer: Answer) => {
        clearTimeout(timer);
        worker.off('error', fail);
        worker.off('exit', fail);
        worker.unref();
        this.#idle = setTimeout(() => this.#drop(worker), IDLE_TIME).unref();
        resolve({ type: 'done', answer });
      });
      worker.postMessage(task);
    });
  }

  /** Loads the thread module on first use: most processes start no thread. */
  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const { program, name, memory } = this.#options;
    return new Worker(program(), {
      // Options of this process, such as a test loader, are not for this thread, and it needs no environment.
      execArgv: [],
      env: {},
      name,
      ...(memory === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memory } }),
    });
  }

  #drop(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    worker.removeAllListeners();
    worker.on('error', () => {});
    void worker.terminate();
  }
}

/**
 * Finds the program of a thread: next to the source that starts it, or in the build, above or next to its chunk.
 *
 * `from` is the `import.meta.url` of the file that starts the thread.
 */
export function findThreadProgram(name: string, from: string): URL {
  const places = [`./${name}.ts`, `../${name}.js`, `./${name}.js`].map((file) => new URL(file, from));
  const found = places.find((url) => existsSync(fileURLToPath(url)));
  if (found !== undefined) return found;
  const message = `The package lacks ${name}.js, the program of a thread. Install pegboard again.`;
  throw new ToolError({ code: 'execution_failed', message });
}
