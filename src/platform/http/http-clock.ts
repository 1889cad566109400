import { setTimeout as wait } from 'node:timers/promises';

/** Time and randomness for retries. Tests pass their own. */
export interface HttpClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a number from 0 to 1, excluding 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: HttpClock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};
