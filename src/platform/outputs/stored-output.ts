import type { OutputSink } from './output-writer.ts';

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
