import { createWriteStream } from 'node:fs';
import { createLineIndex, type LineIndex } from './output-lines.ts';

/** What a finished file holds. */
export interface WrittenOutput {
  /** Bytes in the file. */
  readonly size: number;
  /** False when the output went on after the file had reached its limit. */
  readonly isComplete: boolean;
  readonly lines: LineIndex;
}

/** Takes bytes as fast as they can be written. */
export interface OutputSink {
  /** Takes the next bytes; false asks the caller to wait for `drained`. */
  write(chunk: Buffer): boolean;
  /** Settles when there is room again; never rejects. */
  drained(): Promise<void>;
}

/** A file that is being filled. */
export interface FileWriter extends OutputSink {
  /** True once what comes is dropped: the file has all it may, or the disk failed. */
  readonly isFull: boolean;
  /** Gives what was written once it is all there, or `undefined` when the disk failed. */
  end(): Promise<WrittenOutput | undefined>;
  /** Gives up. */
  destroy(): void;
}

/** Writes a private file of at most `maxBytes`; what comes after them is dropped, and so is all when the disk fails. */
export function createFileWriter(path: string, maxBytes: number): FileWriter {
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: 256 * 1024 });
  const lines = createLineIndex();
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  let size = 0;
  let isComplete = true;
  let hasFailed = false;
  stream.on('error', () => {
    hasFailed = true;
  });

  return {
    get isFull() {
      return !isComplete || hasFailed;
    },
    write(chunk) {
      if (hasFailed || stream.destroyed) return true;
      const part = chunk.subarray(0, maxBytes - size);
      if (part.length < chunk.length) isComplete = false;
      if (part.length === 0) return true;
      size += part.length;
      lines.add(part);
      return stream.write(part);
    },
    // Whichever of the two comes first: a full disk or an early end must not leave the source paused.
    drained: () => Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), closed]),
    async end() {
      if (!stream.destroyed) stream.end();
      await closed;
      return hasFailed || !stream.writableFinished ? undefined : { size, isComplete, lines };
    },
    destroy: () => void stream.destroy(),
  };
}
