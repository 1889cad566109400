import { alignColumns } from '../../../cli/shared/print/columns.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

export interface BarRow {
  readonly name: string;
  readonly note: string;
  readonly tokens: number;
}

const LONGEST = 40;
const SHORTEST = 10;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Draws rows with bars in proportion to the largest figure. */
export function drawBars(
  rows: readonly BarRow[],
  { width, style }: { readonly width: number; readonly style: TextStyle },
): string[] {
  const largest = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const figures = rows.map(({ tokens }) => tokens.toLocaleString('en-US'));
  const digits = Math.max(0, ...figures.map((figure) => figure.length));
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
  const used = widest(rows.map(({ name }) => name)) + widest(rows.map(({ note }) => note)) + digits + 6;
  const length = Math.min(LONGEST, Math.max(SHORTEST, width - used));
  return alignColumns(
    rows.map(({ name, note, tokens }, row) => [
      style.cyan(name),
      style.dim(note),
      (figures[row] ?? '').padStart(digits),
      style.green(drawBar((tokens / largest) * length)),
    ]),
  );
}

/** Draws a bar in eighths of a character, at least one for a value above 0. */
function drawBar(length: number): string {
  const eighths = length > 0 ? Math.max(1, Math.round(length * 8)) : 0;
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}
