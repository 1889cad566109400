import type { WriteTarget } from '../indexing/batch-writer.ts';
import type { IndexProgress, IndexReport } from '../indexing/index-report.ts';

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
