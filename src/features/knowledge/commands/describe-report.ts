import type { IndexReport, SkippedFile } from '../../../knowledge/indexing/index-report.ts';
import type { CommandAnswer } from '../../../cli/shared/command.ts';
import { toCell } from '../../../cli/shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

const MAX_SKIPPED = 10;

interface ReportOptions {
  /** True for a new collection that is being built beside the old one. */
  readonly isBeside?: boolean;
  /** The skipped files to list. Default: all */
  readonly listed?: readonly SkippedFile[];
}

/** Describes the result of indexing. */
export function describeReport(
  collection: string,
  report: IndexReport,
  { isBeside = false, listed = report.skipped }: ReportOptions,
): CommandAnswer {
  const { indexed, chunks, unchanged, removed, skipped, durationMs, isStopped, notes, failures = [] } = report;
  const counts = [
    `${counted(indexed, 'document')} indexed (${counted(chunks, 'chunk')})`,
    `${number(unchanged)} unchanged`,
    `${number(removed)} removed`,
    `${number(skipped.length)} skipped`,
  ];
  return {
    data: { collection, ...report, skipped: listed },
    view: ({ bold, dim }) => [
      `${bold(collection)}: ${counts.join(', ')} in ${(durationMs / 1000).toFixed(1)} s.`,
      ...listed.slice(0, MAX_SKIPPED).map(({ path, reason }) => dim(`  skipped ${toCell(path)}: ${toCell(reason)}`)),
      ...(listed.length > MAX_SKIPPED
        ? [dim(`  and ${number(listed.length - MAX_SKIPPED)} more; --json lists them all.`)]
        : []),
    ],
    notes: (style) => [
      ...notes.map((note) => `${style.yellow('note')} ${note}`),
      ...failures.map(({ path, reason }) => {
        // A reason may repeat the path of the source.
        const why = reason.startsWith(`${path}: `) ? reason.slice(path.length + 2) : reason;
        const fault = `${toCell(path)}: ${toCell(why).replace(/\.?$/, '.')}`;
        return `${style.red('error')} ${fault} Its earlier content stays.`;
      }),
      ...(isStopped ? [describeStopped(report, style, isBeside)] : []),
    ],
    exitCode: isStopped || failures.length > 0 ? 1 : 0,
  };
}

/** Describes what a stopped run has left to do. */
export function describeStopped(
  { remaining, files }: Pick<IndexReport, 'remaining' | 'files'>,
  style: TextStyle,
  isBeside: boolean,
): string {
  const left = `${number(remaining)} of ${counted(files, 'file')} remain`;
  const meanwhile = isBeside ? ' Searches still use the old collection.' : '';
  return `${style.yellow('stopped')} ${left}.${meanwhile} Run the command again to continue.`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
