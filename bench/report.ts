/** Rows under a heading. The first column is text, the others are figures. */
export interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A promise about a figure, and whether it holds. */
export interface Bar {
  readonly promise: string;
  readonly measured: string;
  readonly passed: boolean;
}

/** The findings of one benchmark. */
export interface BenchReport {
  readonly name: string;
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
}

/** Hands a finished report to `run.ts`, or prints it when the benchmark was started by itself. */
export function publish(report: BenchReport): void {
  if (process.send === undefined) console.log(toMarkdown(report));
  else process.send(report);
}

/** A report as Markdown, aligned so that it reads well on a terminal too. */
export function toMarkdown({ tables, bars }: BenchReport): string {
  const verdicts: Table = {
    caption: 'Bars:',
    head: ['Bar', 'Measured', 'Result'],
    rows: bars.map(({ promise, measured, passed }) => [promise, measured, passed ? 'pass' : 'FAIL']),
  };
  return [...tables, ...(bars.length === 0 ? [] : [verdicts])].map(toMarkdownTable).join('\n\n');
}

function toMarkdownTable({ caption, head, rows }: Table): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (cells: readonly string[]): string => `| ${cells.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [caption, '', line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A bar that holds when `value` is at most `limit`. */
export function atMost(
  promise: string,
  value: number,
  { limit, unit }: { readonly limit: number; readonly unit: string },
): Bar {
  return { promise, measured: `${formatFigure(value)} ${unit}`, passed: value <= limit };
}

/** A bar that holds when `value` is at least `limit`. */
export function atLeast(
  promise: string,
  value: number,
  { limit, unit }: { readonly limit: number; readonly unit: string },
): Bar {
  return { promise, measured: `${formatFigure(value)} ${unit}`, passed: value >= limit };
}

/** A figure with three digits that mean something. */
export function formatFigure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
