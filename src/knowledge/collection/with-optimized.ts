import type { WriteTarget } from '../indexing/batch-writer.ts';
import type { IndexProgress, IndexReport } from '../indexing/index-report.ts';

/** Has the store make searches quick after a run, where it needs to; what it could not do is a note of the report. */
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

/** What a run over files or sources was given. */
interface OptimizedRun {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}
