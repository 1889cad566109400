import type { Readable } from 'node:stream';
import { createHeadAndTail } from './head-and-tail.ts';
import type { OutputAccess } from './output-store.ts';
import type { OutputWriter, StoredOutput } from './output-writer.ts';

/** The full stored output. Until it ends, only its id is known. */
type KeptOutput = Pick<StoredOutput, 'id'> & Partial<StoredOutput>;

/** The captured part of one stream. */
export type CapturedOutput =
  | { readonly type: 'whole'; readonly bytes: Buffer }
  | {
      readonly type: 'shortened';
      /** The first bytes, cut after a character. */
      readonly head: Buffer;
      /** The last bytes, cut before a character. */
      readonly tail: Buffer;
      /** Total bytes of the stream. */
      readonly size: number;
      /** Bytes between head and tail. */
      readonly missing: number;
      /** The full stored output, if any. */
      readonly stored: KeptOutput | undefined;
    };

interface OutputCapture {
  /** Number of bytes so far. */
  readonly size: number;
  /** True while reading waits for the disk or is throttled. */
  readonly isPaused: boolean;
  readonly hasEnded: boolean;
  /** Settles when the stream ends; never rejects. */
  readonly ended: Promise<void>;
  /** Returns the output so far. */
  peek(): CapturedOutput;
  /** Stops capturing and returns the output. */
  finish(): Promise<CapturedOutput>;
}

export interface CaptureOptions {
  /** Bytes to keep in memory. Default: 1 MiB. */
  readonly limit?: number | undefined;
  /** Stores a larger output in full. */
  readonly spill?: OutputAccess | undefined;
  /** True when another reader consumes the stream as well. Default: false. */
  readonly isHeard?: boolean | undefined;
}

const DEFAULT_LIMIT = 1024 * 1024;

/**
 * Reads a stream to its end. Keeps at most `limit` bytes in memory and stores a larger output in `spill`. Output that is not stored is
 * read slowly, so its writer has to wait.
 */
export function captureOutput(
  source: Readable,
  { limit = DEFAULT_LIMIT, spill, isHeard = false }: CaptureOptions = {},
): OutputCapture {
  const kept = createHeadAndTail(limit);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let writer: OutputWriter | undefined;
  let hasEnded = false;
  let isPaused = false;
  const throttle = throttleReading(source);

  const waitForDisk = async (drained: Promise<void>): Promise<void> => {
    isPaused = true;
    source.pause();
    await drained;
    isPaused = false;
    source.resume();
  };
  const take = (chunk: Buffer): void => {
    const isCrossing = spill !== undefined && kept.size <= limit && kept.size + chunk.length > limit;
    // From here on the file holds everything. `whole` may share memory that changes, so it is copied.
    if (isCrossing) {
      writer = spill.create();
      if (kept.size > 0) writer.write(Buffer.from(kept.whole()));
    }
    kept.add(chunk);
    if (writer?.write(chunk) === false) void waitForDisk(writer.drained());
    else if (!isHeard && kept.size > limit && writer?.isFull !== false) throttle.count(chunk.length);
  };
  const end = (): void => {
    hasEnded = true;
    resolve();
  };
  source.on('data', take);
  source.once('end', end);
  source.once('close', end);
  // A broken pipe has ended; earlier output counts.
  source.on('error', end);
  // A socket that was handed over may still be paused.
  source.resume();

  const describe = (stored: KeptOutput | undefined): CapturedOutput => {
    const { size } = kept;
    if (size <= limit) return { type: 'whole', bytes: kept.whole() };
    const { head, tail } = kept.ends();
    return { type: 'shortened', head, tail, size, missing: size - head.length - tail.length, stored };
  };

  return {
    ended,
    get size() {
      return kept.size;
    },
    get isPaused() {
      return isPaused || throttle.isPaused;
    },
    get hasEnded() {
      return hasEnded;
    },
    peek: () => describe(writer?.id === undefined ? undefined : { id: writer.id }),
    async finish() {
      source.off('data', take);
      throttle.stop();
      return describe(await writer?.end());
    },
  };
}

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

/** Milliseconds without a byte after which a stream that a grandchild holds open is abandoned. */
const SILENCE = 50;
/** The same limit after the call was cancelled. */
const SHORT_SILENCE = 5;
/** Number of checks after which the wait ends, even if a grandchild keeps writing. */
const MAX_LOOKS = 20;

/** Waits, after a child exited, until its outputs end or stay silent. */
export async function waitForOutputs(
  outputs: readonly OutputCapture[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (outputs.every(({ hasEnded }) => hasEnded)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const silence = signal?.aborted === true ? SHORT_SILENCE : SILENCE;
  let before = measure(outputs);
  let looks = 0;
  let timer = setTimeout(later, silence);

  // A late timer fires before pending pipe data is read; an immediate fires after it.
  function later(): void {
    setImmediate(look);
  }

  function look(): void {
    const now = measure(outputs);
    const isStill = now === before && !outputs.some(({ isPaused }) => isPaused);
    if (isStill || ++looks === MAX_LOOKS) {
      resolve();
      return;
    }
    before = now;
    timer = setTimeout(later, silence);
  }

  function hurry(): void {
    clearTimeout(timer);
    later();
  }

  void Promise.all(outputs.map(({ ended }) => ended)).then(() => resolve());
  signal?.addEventListener('abort', hurry, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', hurry);
  }
}

function measure(outputs: readonly OutputCapture[]): number {
  return outputs.reduce((sum, { size }) => sum + size, 0);
}
