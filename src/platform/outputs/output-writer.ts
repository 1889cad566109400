import { createWriteStream } from 'node:fs';
import { createLineIndex, type LineIndex } from './output-lines.ts';

export interface WrittenOutput {
  /** Number of bytes in the file. */
  readonly size: number;
  /** False when the output exceeded the limit of the file. */
  readonly isComplete: boolean;
  readonly lines: LineIndex;
}

/** Receives the bytes of an output. */
export interface OutputSink {
  /** Writes the next bytes. Returns false when the caller should wait for `drained`. */
  write(chunk: Buffer): boolean;
  /** Settles when there is room again; never rejects. */
  drained(): Promise<void>;
}

export interface FileWriter extends OutputSink {
  /** True when further bytes are dropped: the file reached its limit, or the disk failed. */
  readonly isFull: boolean;
  /** Finishes the file; `undefined` when the disk failed. */
  end(): Promise<WrittenOutput | undefined>;
  destroy(): void;
}

/** Writes a private file of at most `maxBytes` and drops the rest. Drops everything when the disk fails. */
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
    // A full disk or an early end must not leave the source paused.
    drained: () => Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), closed]),
    async end() {
      if (!stream.destroyed) stream.end();
      await closed;
      return hasFailed || !stream.writableFinished ? undefined : { size, isComplete, lines };
    },
    destroy: () => void stream.destroy(),
  };
}

/** An output stored in full on disk. */
export interface StoredOutput {
  /** An unguessable id. Anyone who has it can read the output, unless it belongs to another caller. */
  readonly id: string;
  /** Number of stored bytes. */
  readonly size: number;
  /** Number of stored lines; lines over 16 KiB count as several. */
  readonly lines: number;
  /** False when the output exceeded the limit for one output. */
  readonly isComplete: boolean;
  /** The time of deletion, in milliseconds of the store's clock. */
  readonly expiresAt: number;
}

/** An output being written in full. */
export interface OutputWriter extends OutputSink {
  /** The id for reading it; `undefined` when nothing is written. */
  readonly id: string | undefined;
  /** True when further bytes are dropped. */
  readonly isFull: boolean;
  /** Finishes the output. Returns `undefined` when the disk failed. */
  end(): Promise<StoredOutput | undefined>;
  /** Deletes the output. Call it instead of `end`. */
  discard(): void;
}

/** A writer that drops everything, for when nothing can be written. */
export const NO_WRITER: OutputWriter = {
  id: undefined,
  isFull: true,
  write: () => true,
  drained: async () => {},
  end: async () => undefined,
  discard: () => {},
};
