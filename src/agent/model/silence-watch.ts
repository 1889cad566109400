import { InterruptedAnswerError } from './retry-model.ts';

/** The longest time that a timer takes; a longer limit is no limit. */
const MAX_TIMER = 2_147_483_647;

/** Ends work that sends nothing for too long. One watch for all requests of a run, as a timer for each would cost time. */
export class SilenceWatch {
  readonly #limit: number;
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOn = false;
  #stop = new AbortController();
  #signal: AbortSignal;
  #silent = Promise.withResolvers<never>();

  /** `outer` is what else stops the work. */
  constructor(limit: number, outer: AbortSignal | undefined) {
    this.#limit = limit;
    this.#outer = outer;
    this.#signal = this.#joinSignals();
  }

  /** Aborts the current work: after silence, or when the run is cancelled. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Notes that something was heard. */
  readonly heard = (): void => void this.#timer?.refresh();

  /** Waits for the work, until nothing is heard of it. */
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
    // Tools may take their time.
    if (!this.#isOn) return;
    const error = new InterruptedAnswerError(`The provider said nothing for ${this.#limit / 1_000} seconds.`);
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
