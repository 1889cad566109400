import { ToolError } from '../tool/tool-error.ts';

/** The programs that run on one board in this process: they end with the board. */
export class ProgramsUnderWay {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** Aborts when the board is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Has the board wait for a program when it is closed. */
  async track<T>(program: Promise<T>): Promise<T> {
    this.#running.add(program);
    try {
      return await program;
    } finally {
      this.#running.delete(program);
    }
  }

  /** Ends all of them and waits for that. Those that are kept can go on in another process. */
  async end(): Promise<void> {
    const message = 'The board was closed while the program ran. A program that is kept goes on where it was.';
    this.#closing.abort(new ToolError({ code: 'cancelled', message }));
    await Promise.allSettled(this.#running);
  }
}

const underWay = new WeakMap<object, ProgramsUnderWay>();

/** The programs whose calls an executor makes: all of one board, whichever part of its tools they reach. */
export function programsUnderWay(executor: object): ProgramsUnderWay {
  const known = underWay.get(executor) ?? new ProgramsUnderWay();
  underWay.set(executor, known);
  return known;
}
