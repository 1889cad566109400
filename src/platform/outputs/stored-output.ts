import type { OutputSink } from './output-writer.ts';

/** A whole output on disk. */
export interface StoredOutput {
  /** Unguessable. Who has it may read the output, unless that belongs to another caller. */
  readonly id: string;
  /** Bytes kept. */
  readonly size: number;
  /** Lines kept; lines over 16 KiB count as several. */
  readonly lines: number;
  /** False when the output was larger than what is kept of one. */
  readonly isComplete: boolean;
  /** When it is deleted, in milliseconds of the store's clock. */
  readonly expiresAt: number;
}

/** A whole output that is being written. */
export interface OutputWriter extends OutputSink {
  /** What it can be read with once it is all there; `undefined` when nothing is written. */
  readonly id: string | undefined;
  /** True once what comes is dropped. */
  readonly isFull: boolean;
  /** Gives the handle once everything is on disk, or `undefined` when that failed. */
  end(): Promise<StoredOutput | undefined>;
  /** Deletes what was written, instead of `end`. */
  discard(): void;
}

/** Stands in where nothing can be written. */
export const NO_WRITER: OutputWriter = {
  id: undefined,
  isFull: true,
  write: () => true,
  drained: async () => {},
  end: async () => undefined,
  discard: () => {},
};
