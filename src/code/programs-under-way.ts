import { ToolError } from '../tool/tool-error.ts';

/** The programs that run on one board in this process; they end with the board. */
export class ProgramsUnderWay {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** Aborts when the board is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Tracks a program so that closing the board waits for it. */
  async track<T>(program: Promise<T>): Promise<T> {
    this.#running.add(program);
    try {
      return await program;
    } finally {
      this.#running.delete(program);
    }
  }

  /** Ends all programs and waits for that. Stored ones can be resumed in another process. */
  async end(): Promise<void> {
    const message = 'The board was closed while the program ran. A stored program can be resumed.';
    this.#closing.abort(new ToolError({ code: 'cancelled', message }));
    await Promise.allSettled(this.#running);
  }
}

const underWay = new WeakMap<object, ProgramsUnderWay>();

/** Returns the running programs of an executor's board, whichever part of its tools they use. */
export function programsUnderWay(executor: object): ProgramsUnderWay {
  const known = underWay.get(executor) ?? new ProgramsUnderWay();
  underWay.set(executor, known);
  return known;
}
