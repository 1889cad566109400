import type { WriteTarget } from './batch-writer.ts';

/** The result of an index run. */
export interface IndexReport {
  /** Files visited. */
  readonly files: number;
  /** New and changed documents. */
  readonly indexed: number;
  readonly unchanged: number;
  /** Documents whose files no longer exist. */
  readonly removed: number;
  /** Chunks written. */
  readonly chunks: number;
  readonly bytes: number;
  readonly skipped: readonly SkippedFile[];
  /** Sources that could not be read; their documents stay. */
  readonly failures?: readonly SkippedFile[];
  /** Advice, such as a library to install. */
  readonly notes: readonly string[];
  /** True if it was stopped before the end; the next run continues from here. */
  readonly isStopped: boolean;
  /** Files that a stopped run did not reach. */
  readonly remaining: number;
  readonly durationMs: number;
}

/** A file that was not indexed, with the reason. */
export interface SkippedFile {
  /** Its name in the collection. */
  readonly path: string;
  readonly reason: string;
}

/** The progress of indexing. */
export interface IndexProgress {
  readonly done: number;
  readonly total: number;
  /** Chunks written so far. */
  readonly chunks: number;
  /** Files not yet written, unchanged or skipped: the rest if the run stopped now. */
  readonly remaining?: number;
  /** Bytes of the files that may have changed: finished ones and all. */
  readonly bytes?: { readonly done: number; readonly total: number };
  /** The progress of the store's index, from 0 to 1, after everything is written. */
  readonly optimized?: number;
}

/** Optimizes the store after a run, if it needs that. A failure becomes a note of the report. */
export async function withOptimized<Report extends IndexReport>(
  { store, collection }: Pick<WriteTarget, 'store' | 'collection'>,
  report: Report,
  { signal, onProgress }: OptimizedRun,
): Promise<Report> {
  const { isStopped, files: done, chunks } = report;
  if (isStopped) return report;
  const problem = await store.optimize?.(collection, {
    signal,
    onProgress: (optimized) => onProgress?.({ done, total: done, chunks, optimized }),
  });
  return problem === undefined ? report : { ...report, notes: [...report.notes, problem] };
}

interface OptimizedRun {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}
