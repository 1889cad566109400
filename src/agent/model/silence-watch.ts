import { InterruptedAnswerError } from './retry-model.ts';

/** The longest delay of a timer; a longer limit means no limit. */
const MAX_TIMER = 2_147_483_647;

/** Aborts work that produces nothing for too long. One watch serves all requests of a run, to save timers. */
export class SilenceWatch {
  readonly #limit: number;
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOn = false;
  #stop = new AbortController();
  #signal: AbortSignal;
  #silent = Promise.withResolvers<never>();

  /** `outer` is another signal that stops the work. */
  constructor(limit: number, outer: AbortSignal | undefined) {
    this.#limit = limit;
    this.#outer = outer;
    this.#signal = this.#joinSignals();
  }

  /** Aborts the current work: after silence, or when the run is cancelled. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Restarts the timer. */
  readonly onActivity = (): void => void this.#timer?.refresh();

  /** Waits for the work until it has been silent for too long. */
  async limit<T>(start: () => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) this.#renew();
    this.#isOn = true;
    if (this.#timer !== undefined) this.#timer.refresh();
    else if (this.#limit <= MAX_TIMER) this.#timer = setTimeout(() => this.#end(), this.#limit);
    try {
      return await Promise.race([start(), this.#silent.promise]);
    } finally {
      this.#isOn = false;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    this.#timer = undefined;
    // Tools may run for any time.
    if (!this.#isOn) return;
    const error = new InterruptedAnswerError(`The provider sent nothing for ${this.#limit / 1_000} seconds.`);
    this.#silent.reject(error);
    this.#stop.abort(error);
  }

  #renew(): void {
    this.#stop = new AbortController();
    this.#signal = this.#joinSignals();
    this.#silent = Promise.withResolvers<never>();
  }

  #joinSignals(): AbortSignal {
    return this.#outer === undefined ? this.#stop.signal : AbortSignal.any([this.#outer, this.#stop.signal]);
  }
}
