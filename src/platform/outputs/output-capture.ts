import type { Readable } from 'node:stream';
import { createHeadAndTail } from './head-and-tail.ts';
import type { OutputAccess } from './output-store.ts';
import type { OutputWriter, StoredOutput } from './stored-output.ts';
import { throttleReading } from './throttle-reading.ts';

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

/** A stream that is being read. */
export interface OutputCapture {
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
