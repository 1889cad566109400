/** What an index run did. */
export interface IndexReport {
  /** Files that were looked at. */
  readonly files: number;
  /** Documents that are new or changed. */
  readonly indexed: number;
  readonly unchanged: number;
  /** Documents whose files are gone. */
  readonly removed: number;
  /** Chunks that were written. */
  readonly chunks: number;
  /** Bytes that were read. */
  readonly bytes: number;
  readonly skipped: readonly SkippedFile[];
  /** Sources that could not be read: what they gave before stays. */
  readonly failures?: readonly SkippedFile[];
  /** Advice, such as a library to install. */
  readonly notes: readonly string[];
  /** Whether it was stopped before the end; the next run goes on from here. */
  readonly isStopped: boolean;
  /** Files that a stopped run did not come to. */
  readonly remaining: number;
  readonly durationMs: number;
}

/** A file that was left out. */
export interface SkippedFile {
  /** As the collection would name it. */
  readonly path: string;
  readonly reason: string;
}

/** How far an index run is. */
export interface IndexProgress {
  readonly done: number;
  readonly total: number;
  /** Chunks written so far. */
  readonly chunks: number;
  /** Files that are not written, unchanged or left out yet: what an interruption now would leave. */
  readonly remaining?: number;
  /** Bytes of the files that may have changed: of those that are written, or found to be as they were, and of all. */
  readonly bytes?: { readonly done: number; readonly total: number };
  /** How much of the store's index is built, from 0 to 1; told once everything is written, by stores that build one. */
  readonly optimized?: number;
}
