import type { Readable } from 'node:stream';
import { createHeadAndTail } from './head-and-tail.ts';
import type { OutputAccess } from './output-store.ts';
import type { OutputWriter, StoredOutput } from './stored-output.ts';
import { throttleReading } from './throttle-reading.ts';

/** Where a whole output is kept; before its end only its id is known. */
type KeptOutput = Pick<StoredOutput, 'id'> & Partial<StoredOutput>;

/** What is kept of one stream. */
export type CapturedOutput =
  | { readonly type: 'whole'; readonly bytes: Buffer }
  | {
      readonly type: 'shortened';
      /** The first bytes, cut after a character. */
      readonly head: Buffer;
      /** The last bytes, cut before a character. */
      readonly tail: Buffer;
      /** Bytes the stream had. */
      readonly size: number;
      /** Bytes between head and tail. */
      readonly missing: number;
      /** Where the whole is kept, if it is. */
      readonly stored: KeptOutput | undefined;
    };

/** A stream being read. */
export interface OutputCapture {
  /** Bytes so far. */
  readonly size: number;
  /** True while reading waits for the disk, or for the next moment of an output that no one keeps. */
  readonly isPaused: boolean;
  readonly hasEnded: boolean;
  /** Settles when the stream ends; never rejects. */
  readonly ended: Promise<void>;
  /** What was kept so far; more may come. */
  peek(): CapturedOutput;
  /** Stops keeping what comes and gives what was kept. */
  finish(): Promise<CapturedOutput>;
}

/** The part of a stream that is kept, and its place. */
export interface CaptureOptions {
  /** Bytes in memory. Default: 1 MiB. */
  readonly limit?: number | undefined;
  /** Takes the whole of a larger output. */
  readonly spill?: OutputAccess | undefined;
  /** True where another reads all that comes. Default: false. */
  readonly isHeard?: boolean | undefined;
}

const DEFAULT_LIMIT = 1024 * 1024;

/**
 * Reads a stream to its end, keeping at most `limit` bytes in memory and the whole in `spill` when it is larger. What neither keeps is read slowly, and
 * its writer waits.
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
    // Memory holds everything up to here; from now on the file does. `whole` may share memory that changes.
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
  // A pipe that breaks has ended; what came before it counts.
  source.on('error', end);
  // A socket that was handed over may have been paused until now.
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
