import { setTimeout as wait } from 'node:timers/promises';

/** Time and chance, as retries need them; tests give their own. */
export interface HttpClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 up to, not including, 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const SYSTEM_CLOCK: HttpClock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};
