/** The clock of servers. */
export interface UpstreamClock {
  now(): number;
  /** Its timers do not keep the process alive. */
  setTimer(callback: () => void, milliseconds: number): unknown;
  clearTimer(timer: unknown): void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own clock. */
export const UPSTREAM_CLOCK: UpstreamClock = {
  now: () => performance.now(),
  setTimer: (callback, milliseconds) => setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER)).unref(),
  // Only what `setTimer` gave comes back here.
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
