import type { IndexReport, SkippedFile } from '../../../knowledge/indexing/index-report.ts';
import { type CliContext, printLine } from '../../cli-context.ts';
import { toCell } from '../../print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { createStyle } from '../../print/style.ts';

const MAX_SKIPPED = 10;

/** Where a report goes, and what it is about. */
interface PrintOptions {
  readonly context: CliContext;
  /** Whether a collection was built beside the one that is searched. */
  readonly isBeside?: boolean;
  /** Skipped files that are listed. Default: all of the report. */
  readonly listed?: readonly SkippedFile[];
}

/** Prints what an index run did. */
export function printReport(
  collection: string,
  report: IndexReport,
  { context, isBeside = false, listed = report.skipped }: PrintOptions,
): void {
  const { stdout, stderr, env } = context;
  const style = createStyle(stdout, env);
  const { indexed, chunks, unchanged, removed, skipped, durationMs, isStopped, notes, failures = [] } = report;
  const counts = [
    `${counted(indexed, 'document')} indexed (${counted(chunks, 'chunk')})`,
    `${number(unchanged)} unchanged`,
    `${number(removed)} removed`,
    `${number(skipped.length)} skipped`,
  ];
  printLine(stdout, `${style.bold(collection)}: ${counts.join(', ')} in ${(durationMs / 1000).toFixed(1)} s.`);
  for (const { path, reason } of listed.slice(0, MAX_SKIPPED)) {
    printLine(stdout, style.dim(`  skipped ${toCell(path)}: ${toCell(reason)}`));
  }
  if (listed.length > MAX_SKIPPED) {
    printLine(stdout, style.dim(`  and ${number(listed.length - MAX_SKIPPED)} more; --json lists them all.`));
  }
  const paint = createStyle(stderr, env);
  for (const note of notes) printLine(stderr, `${paint.yellow('note')} ${note}`);
  for (const { path, reason } of failures) {
    // A reason may begin with the page that failed, which may be the source itself.
    const why = reason.startsWith(`${path}: `) ? reason.slice(path.length + 2) : reason;
    const told = `${toCell(path)}: ${toCell(why).replace(/\.?$/, '.')}`;
    printLine(stderr, `${paint.red('error')} ${told} What it gave before stays.`);
  }
  if (isStopped) printStopped(report, { context, isBeside });
}

/** Says what a run that did not come to its end has left. */
export function printStopped(
  { remaining, files }: Pick<IndexReport, 'remaining' | 'files'>,
  { context: { stderr, env }, isBeside = false }: PrintOptions,
): void {
  const left = `${number(remaining)} of ${counted(files, 'file')} remain`;
  const meanwhile = isBeside ? ' Searches use the collection as it was.' : '';
  const label = createStyle(stderr, env).yellow('stopped');
  printLine(stderr, `${label} ${left}.${meanwhile} Run it again to go on from here.`);
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
