import type { Readable } from 'node:stream';

/** Bytes that are read at once, and milliseconds in which no more are: 16 MiB a second. */
const SLICE = 512 * 1024;
const PAUSE = 32;

/** Slows the writer of a stream down. */
interface Throttle {
  /** True while the stream is paused by this throttle. */
  readonly isPaused: boolean;
  /** Counts bytes that were read; beyond what a moment allows, the stream is paused until the next one. */
  count(bytes: number): void;
  /** Counts no longer, and lets the stream go on. */
  stop(): void;
}

/**
 * Makes what slows down the reading of bytes that no one keeps: each read allocates memory faster than it is freed, as long as an endless output is
 * read as fast as it comes. The writer waits for the reader and is never stopped.
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
