import { availableParallelism } from 'node:os';
import { ToolError } from '../../tool/tool-error.ts';

/** How many processes a board runs at once. */
export interface ProcessLimits {
  /** Processes at once. Default: the number of cores, at least 8. */
  readonly concurrency?: number | undefined;
  /** Calls that may wait for a place; one more is told to come back later. Default: 1,000. */
  readonly queue?: number | undefined;
}

const LEAST_CONCURRENCY = 8;
const DEFAULT_QUEUE = 1000;

/** One who waits; `enter` hands over a place. */
interface Waiting {
  readonly enter: () => void;
}

/**
 * Places for processes. Who finds none waits in a line of its own caller, and places go to the callers in turn, so that one who asks
 * for hundreds does not keep the others waiting.
 */
export class ProcessQueue {
  #concurrency = LEAST_CONCURRENCY;
  #length = DEFAULT_QUEUE;
  #running = 0;
  #waiting = 0;
  /** The callers in the order of their turns. */
  readonly #lines = new Map<string, Set<Waiting>>();

  constructor(limits: ProcessLimits = {}) {
    this.configure(limits);
  }

  /** Processes that run now. */
  get running(): number {
    return this.#running;
  }

  /** How many wait for a place. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Changes the limits; what runs goes on. */
  configure({ concurrency, queue = DEFAULT_QUEUE }: ProcessLimits): void {
    this.#concurrency = concurrency ?? Math.max(LEAST_CONCURRENCY, availableParallelism());
    this.#length = queue;
    this.#fill();
  }

  /**
   * Takes a place and gives the function that frees it, or a promise of it. Throws `busy` when too many wait already; the promise
   * rejects with the signal's reason when it aborts.
   */
  enter(caller: string, signal: AbortSignal): (() => void) | Promise<() => void> {
    if (this.#running < this.#concurrency && this.#waiting === 0) {
      this.#running++;
      return this.#place();
    }
    if (this.#waiting >= this.#length) throw this.#refuse();
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(caller) ?? new Set();
      this.#lines.set(caller, line);
      const leave = (): void => {
        line.delete(waiting);
        if (line.size === 0) this.#lines.delete(caller);
        this.#waiting--;
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = (): void => {
        leave();
        reject(signal.reason);
      };
      const waiting: Waiting = {
        enter: () => {
          leave();
          resolve(this.#place());
        },
      };
      line.add(waiting);
      this.#waiting++;
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }

  #place(): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#running--;
      this.#fill();
    };
  }

  #fill(): void {
    while (this.#running < this.#concurrency && this.#waiting > 0) {
      for (const [caller, line] of this.#lines) {
        const [first] = line;
        // To the end of the turns, before it leaves its line.
        this.#lines.delete(caller);
        this.#lines.set(caller, line);
        this.#running++;
        first?.enter();
        break;
      }
    }
  }

  #refuse(): ToolError {
    const message = `The board runs as many commands as it may at once (processes.concurrency: ${this.#concurrency}), and as many calls wait as may (processes.queue: ${this.#length}). Nothing was started: try again later.`;
    return new ToolError({ code: 'busy', message });
  }
}
