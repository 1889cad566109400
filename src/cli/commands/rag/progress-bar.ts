import type { IndexProgress } from '../../../knowledge/indexing/index-report.ts';
import type { CliContext } from '../../cli-context.ts';
import { clearLine } from '../../print/gate-output.ts';

const WIDTH = 24;
const REDRAW_MS = 100;

/** A bar with rate and time left, on stderr; only on a terminal. */
export interface ProgressBar {
  update(progress: IndexProgress): void;
  /** Takes the bar away. */
  end(): void;
}

/** Makes a bar for a run that starts now. */
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

/** `[######------------------] 250/1,000 files  120 files/s  6 s left`. */
export function formatProgress(progress: IndexProgress, elapsedMs: number, unit = 'files'): string {
  const { done, total, chunks, optimized } = progress;
  if (optimized !== undefined)
    return `${drawBar(optimized)} building the index over vectors, ${Math.floor(100 * optimized)} %; searches work meanwhile`;
  const rate = elapsedMs <= 0 ? 0 : (done / elapsedMs) * 1000;
  const left = rate <= 0 ? '' : `  ${formatSeconds((total - done) / rate)} left`;
  const counts = `${done.toLocaleString('en-US')}/${total.toLocaleString('en-US')} ${unit}`;
  const written = chunks === 0 ? '' : `  ${chunks.toLocaleString('en-US')} chunks`;
  return `${drawBar(total === 0 ? 1 : done / total)} ${counts}${written}  ${Math.round(rate).toLocaleString('en-US')} ${unit}/s${left}`;
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, share) * WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
}

function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}
