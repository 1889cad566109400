/** The signals that end a command, with their numbers. */
export const STOP_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;

export type StopSignal = keyof typeof STOP_SIGNALS;

/** Milliseconds that a command has to end; longer than its child processes get between TERM and KILL. */
export const STOP_PATIENCE = 3000;

/** Returns true when the reader is gone, as in `pegboard list | head`, or the terminal was closed. */
export function isReaderGone({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED'].includes(code);
}

/** Turns the signals of a process into the end of its command. */
export class CommandStop {
  readonly #abort = new AbortController();
  #takeInterrupt: (() => void) | undefined;
  #stopServer: (() => void) | undefined;
  /** The exit code of the first signal. */
  #stoppedBy: number | undefined;

  /** Aborts when the command must end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The exit code of the first signal; `undefined` before one. */
  get stoppedBy(): number | undefined {
    return this.#stoppedBy;
  }

  readonly onInterrupt = (listener: () => void): (() => void) => {
    this.#takeInterrupt = listener;
    return () => void (this.#takeInterrupt = undefined);
  };

  readonly onTerminate = (listener: () => void): void => {
    this.#stopServer = listener;
  };

  /**
   * Receives a signal. `taken`: the command uses it and goes on. `asked`: a server finishes its calls first and ends by itself.
   * `stopped`: the command was cancelled. `again`: it was asked before, and must end now.
   */
  receive(name: StopSignal): 'taken' | 'asked' | 'stopped' | 'again' {
    const taken = name === 'SIGINT' ? this.#takeInterrupt : undefined;
    this.#takeInterrupt = undefined;
    if (taken !== undefined) {
      taken();
      return 'taken';
    }
    if (this.#stoppedBy !== undefined) return 'again';
    this.#stoppedBy = 128 + STOP_SIGNALS[name];
    if (this.#stopServer !== undefined && name !== 'SIGINT') {
      this.#stopServer();
      return 'asked';
    }
    this.cancel();
    return this.#stopServer === undefined ? 'stopped' : 'asked';
  }

  /** Lets a server end by itself; returns false for a command that is no server. */
  askServer(): boolean {
    this.#stopServer?.();
    return this.#stopServer !== undefined;
  }

  cancel(): void {
    this.#abort.abort();
  }

  /** Returns the exit code of the process for that of its command. A server that ended on request has not failed. */
  exitCode(code: number): number {
    if (this.#stoppedBy === undefined) return code;
    return this.#stopServer !== undefined && !this.signal.aborted ? code : this.#stoppedBy;
  }
}
