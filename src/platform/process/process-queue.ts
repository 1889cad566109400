import { availableParallelism } from 'node:os';
import { ToolError } from '../../tool/tool-error.ts';
import { FairSlots } from '../fair-slots.ts';

/** Limits on the commands that run at once. */
export interface ProcessLimits {
  /** Maximum number of running processes. Default: the number of cores, at least 8. */
  readonly concurrency?: number | undefined;
  /** Maximum number of waiting calls; further calls fail with `busy`. Default: 1,000. */
  readonly queue?: number | undefined;
}

const LEAST_CONCURRENCY = 8;
const DEFAULT_QUEUE = 1000;

/** Limits running processes. Callers share the slots. */
export class ProcessQueue {
  readonly #slots = new FairSlots({ limit: LEAST_CONCURRENCY });
  #concurrency = LEAST_CONCURRENCY;
  #length = DEFAULT_QUEUE;

  constructor(limits: ProcessLimits = {}) {
    this.configure(limits);
  }

  get running(): number {
    return this.#slots.taken;
  }

  get waiting(): number {
    return this.#slots.waiting;
  }

  /** Changes the limits. Running processes continue. */
  configure({ concurrency, queue = DEFAULT_QUEUE }: ProcessLimits): void {
    this.#concurrency = concurrency ?? Math.max(LEAST_CONCURRENCY, availableParallelism());
    this.#length = queue;
    this.#slots.configure({ limit: this.#concurrency, queue });
  }

  /**
   * Takes a slot and returns the function that frees it, or a promise of it. Throws `busy` when too many calls wait. The promise rejects
   * with the signal's reason when it aborts.
   */
  enter(caller: string, signal: AbortSignal): (() => void) | Promise<() => void> {
    const ticket = this.#slots.take(caller);
    if (ticket === undefined) throw this.#refuse();
    const leave = (): void => ticket.leave();
    const { granted } = ticket;
    if (granted === undefined) return leave;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        leave();
        reject(signal.reason);
      };
      void granted.then(() => {
        signal.removeEventListener('abort', giveUp);
        // Has no effect if the signal aborted first.
        resolve(leave);
      });
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }

  #refuse(): ToolError {
    const message = `The board already runs the maximum number of commands (processes.concurrency: ${this.#concurrency}), and its queue is full (processes.queue: ${this.#length}). Nothing was started: try again later.`;
    return new ToolError({ code: 'busy', message });
  }
}
