import type { HttpClock } from '../../platform/http/retry-request.ts';

/** Keeps requests within a server's limits. */
export interface Pace {
  /** Runs work when a slot is free. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
  /** Waits until the next request may start. */
  wait(signal: AbortSignal | undefined): Promise<void>;
  /** Delays all requests by this many milliseconds, as the server asked. */
  pause(milliseconds: number): void;
}

/** The limits of a server. */
export interface PaceOptions {
  readonly concurrency: number;
  readonly perMinute: number;
  readonly clock: HttpClock;
}

const NEVER = new AbortController().signal;

/** Creates the pace of one server. */
export function createPace({ concurrency, perMinute, clock }: PaceOptions): Pace {
  const line: (() => void)[] = [];
  const gap = 60_000 / perMinute;
  let running = 0;
  let next = 0;
  let pausedUntil = 0;
  return {
    async run(work, signal) {
      if (running >= concurrency) await new Promise<void>((enter) => line.push(enter));
      else running++;
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        const enter = line.shift();
        if (enter === undefined) running--;
        else enter();
      }
    },
    async wait(signal) {
      const start = Math.max(clock.now(), next);
      next = start + gap;
      for (let until = Math.max(start, pausedUntil); until > clock.now(); until = Math.max(start, pausedUntil)) {
        await clock.sleep(until - clock.now(), signal ?? NEVER);
      }
    },
    pause(milliseconds) {
      pausedUntil = Math.max(pausedUntil, clock.now() + milliseconds);
    },
  };
}
