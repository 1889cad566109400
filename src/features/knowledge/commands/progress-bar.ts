import type { IndexProgress } from '../../../knowledge/indexing/index-report.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { clearLine } from '../../../cli/shared/print/gate-output.ts';

const WIDTH = 24;
const REDRAW_MS = 100;

/** A progress bar with rate and remaining time, on stderr; only on a terminal. */
export interface ProgressBar {
  update(progress: IndexProgress): void;
  /** Clears the bar. */
  end(): void;
}

/** Creates a progress bar for a run that starts now. */
export function createProgressBar({ stderr }: CliContext, { unit = 'files' } = {}): ProgressBar {
  if (stderr.isTTY !== true) return { update: () => {}, end: () => {} };
  const started = performance.now();
  let drawn = -Infinity;
  return {
    update: (progress) => {
      const time = performance.now();
      if (time - drawn < REDRAW_MS && progress.done < progress.total) return;
      drawn = time;
      const line = formatProgress(progress, time - started, unit);
      stderr.write(`${clearLine()}${line.slice(0, Math.max(20, (stderr.columns || 80) - 1))}`);
    },
    end: () => {
      if (drawn > -Infinity) stderr.write(clearLine());
    },
  };
}

/**
 * Formats progress as `[######------------------] 250/1,000 files  1,234 chunks  120 chunks/s  6 s left`.
 *
 * The bar and the remaining time follow the bytes written, if known: files differ in size and are read ahead.
 */
export function formatProgress(progress: IndexProgress, elapsedMs: number, unit = 'files'): string {
  const { done, total, chunks, optimized, bytes } = progress;
  if (optimized !== undefined)
    return `${drawBar(optimized)} building the vector index, ${Math.floor(100 * optimized)} %; searches work meanwhile`;
  const work = bytes ?? { done, total };
  const left = work.done <= 0 ? '' : `  ${formatSeconds((elapsedMs / 1000) * (work.total / work.done - 1))} left`;
  const counts = `${done.toLocaleString('en-US')}/${total.toLocaleString('en-US')} ${unit}`;
  const written = chunks === 0 ? '' : `  ${chunks.toLocaleString('en-US')} chunks`;
  const [count, what] = chunks === 0 ? [done, unit] : [chunks, 'chunks'];
  return `${drawBar(work.total === 0 ? 1 : work.done / work.total)} ${counts}${written}  ${formatRate(count, elapsedMs)} ${what}/s${left}`;
}

function formatRate(count: number, elapsedMs: number): string {
  const rate = elapsedMs <= 0 ? 0 : (count / elapsedMs) * 1000;
  return rate > 0 && rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en-US');
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, share) * WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
}

function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}
