import type { UpstreamClock } from './upstream-clock.ts';

/** When a server that fails may be tried again. */
export interface RestartSchedule {
  /** Number of failures in a row. */
  readonly failures: number;
  /** Milliseconds until the next try may begin; 0 for now. */
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
