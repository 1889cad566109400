import type { Clock } from './deadlines.ts';

/** A clock for tests, with its controls. */
export interface FakeClock {
  readonly clock: Clock;
  /** Advances the time and runs the timers due by then. */
  readonly advance: (to: number) => void;
  /** Returns the number of active timers. */
  readonly pending: () => number;
  /** Returns the number of timers set so far. */
  readonly timersSet: () => number;
}

/** Creates a clock that moves only on request and counts timers. */
export function fakeClock(): FakeClock {
  let time = 0;
  let timers: { at: number; run: () => void }[] = [];
  let set = 0;
  const clock: Clock = {
    now: () => time,
    setTimer: (run, milliseconds) => {
      set++;
      const timer = { at: time + milliseconds, run };
      timers.push(timer);
      return timer;
    },
    clearTimer: (timer) => {
      timers = timers.filter((other) => other !== timer);
    },
  };
  const advance = (to: number): void => {
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > to) break;
      timers = timers.filter((other) => other !== next);
      time = Math.max(time, next.at);
      next.run();
    }
    time = to;
  };
  return { clock, advance, pending: () => timers.length, timersSet: () => set };
}
