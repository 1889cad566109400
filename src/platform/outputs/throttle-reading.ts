import type { Readable } from 'node:stream';

/** Bytes that are read per period, and the period in milliseconds: 16 MiB a second. */
const SLICE = 512 * 1024;
const PAUSE = 32;

interface Throttle {
  /** True while the throttle pauses the stream. */
  readonly isPaused: boolean;
  /** Counts bytes that were read. Pauses the stream until the next period once the limit is reached. */
  count(bytes: number): void;
  /** Stops counting and resumes the stream. */
  stop(): void;
}

/**
 * Slows down reading a stream whose bytes are dropped: an endless output would allocate memory faster than it is freed. The writer
 * waits and is never stopped.
 */
export function throttleReading(source: Readable): Throttle {
  let read = 0;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const resume = (): void => {
    timer = undefined;
    read = 0;
    since = performance.now();
    source.resume();
  };
  const stop = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    resume();
  };
  source.once('close', () => clearTimeout(timer));
  return {
    get isPaused() {
      return timer !== undefined;
    },
    count(bytes) {
      const now = performance.now();
      if (now - since > PAUSE) [read, since] = [0, now];
      read += bytes;
      if (read < SLICE || timer !== undefined) return;
      source.pause();
      timer = setTimeout(resume, PAUSE);
    },
    stop,
  };
}
