/** The clock of servers, which tests replace. */
export interface UpstreamClock {
  now(): number;
  /** Its timers do not keep the process alive. */
  setTimer(callback: () => void, milliseconds: number): unknown;
  clearTimer(timer: unknown): void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export const UPSTREAM_CLOCK: UpstreamClock = {
  now: () => performance.now(),
  setTimer: (callback, milliseconds) => setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER)).unref(),
  // Only a value of `setTimer` arrives here.
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** When to try a failing server again. */
export interface RestartSchedule {
  readonly failures: number;
  /** Milliseconds until the next attempt may begin. */
  delay(): number;
  failed(): void;
  worked(): void;
}

const FIRST_DELAY = 250;
const LONGEST_DELAY = 30_000;

/** Waits 250 ms after the first failure, twice as long after each further one, 30 seconds at most. */
export function createRestartSchedule(clock: UpstreamClock): RestartSchedule {
  let failures = 0;
  let notBefore = 0;
  return {
    get failures() {
      return failures;
    },
    delay: () => Math.max(0, notBefore - clock.now()),
    failed: () => {
      notBefore = clock.now() + Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** failures);
      failures++;
    },
    worked: () => {
      failures = 0;
      notBefore = 0;
    },
  };
}

/** Counts the calls of a server and reports when it was idle for long. */
export class IdleWatch {
  readonly #clock: UpstreamClock;
  readonly #limit: number;
  readonly #onIdle: () => void;
  #inFlight = 0;
  /** Holders that keep it running without calls. */
  #holds = 0;
  #wasUsed = false;
  #lastUsed = 0;
  #timer: unknown;
  #onQuiet: (() => void) | undefined;

  /** `limit`: milliseconds without a call, or `Infinity`. */
  constructor(clock: UpstreamClock, limit: number, onIdle: () => void) {
    this.#clock = clock;
    this.#limit = limit;
    this.#onIdle = onIdle;
  }

  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** When the last call ended, or the server started. */
  get lastUsed(): number {
    return this.#lastUsed;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0;
  }

  begin(): void {
    this.#wasUsed = true;
    this.#inFlight++;
  }

  end(): void {
    this.#inFlight--;
    this.#lastUsed = this.#clock.now();
    if (this.#inFlight === 0) this.#onQuiet?.();
  }

  /** Prevents the idle state until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
      this.#lastUsed = this.#clock.now();
    };
  }

  /** Resolves when no call is running, or when `release` is called. */
  async quiet(): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => (this.#onQuiet = resolve));
  }

  release(): void {
    this.#onQuiet?.();
  }

  /** Watches until it has reported once or is stopped. */
  start(): void {
    if (this.#limit === Infinity || this.#timer !== undefined) return;
    this.#lastUsed = this.#clock.now();
    const look = (): void => {
      const rest = this.isBusy || this.#holds > 0 ? this.#limit : this.#lastUsed + this.#limit - this.#clock.now();
      this.#timer = rest > 0 ? this.#clock.setTimer(look, rest) : undefined;
      if (rest <= 0) this.#onIdle();
    };
    this.#timer = this.#clock.setTimer(look, this.#limit);
  }

  stop(): void {
    this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}
