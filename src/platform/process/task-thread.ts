import type { Worker } from 'node:worker_threads';
import { FairSlots } from '../fair-slots.ts';

/** The start data and the limits of a thread. */
export interface TaskThreadOptions {
  /** The file of its program, which answers each message with one. */
  readonly program: () => URL;
  readonly name: string;
  /** Milliseconds that one task may take. */
  readonly patience: number;
  /** Megabytes that it may hold. Default: as the process. */
  readonly memory?: number;
  /** Tasks that may wait. Default: any number. */
  readonly queue?: number;
}

/** The end of a task: too many waited before it, or it broke the thread or its limits. */
export type TaskEnd<Answer> =
  | { readonly type: 'done'; readonly answer: Answer }
  | { readonly type: 'busy' }
  | { readonly type: 'failed' };

/** Milliseconds that an idle thread stays. */
const IDLE_TIME = 30_000;

/** Does tasks one after the other in a thread of its own, callers in turn. The thread is started for the first one. */
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

  /** The module of threads is loaded for the first one: most processes start none. */
  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const { program, name, memory } = this.#options;
    return new Worker(program(), {
      // The options of this process, such as a loader of its tests, are not for this thread. It needs nothing of the environment.
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
