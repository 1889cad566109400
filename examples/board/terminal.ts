// Prints the demo: headings, columns and wrapped lines. `styleText` leaves colours out where there is no terminal.
import { styleText } from 'node:util';

const WIDTH = 100;

export const dim = (text: string): string => styleText('dim', text);
export const strong = (text: string): string => styleText('bold', text);
export const good = (text: string): string => styleText('green', text);
export const bad = (text: string): string => styleText('red', text);

/** A title with a rule that fills the line. */
export function printHeading(title: string): void {
  console.log(`\n${strong(title)} ${dim('─'.repeat(WIDTH - title.length - 1))}\n`);
}

/** Rows under each other, each column as wide as its widest cell; the first column stands out. */
export function printColumns(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell));
    console.log(`  ${[strong(cells[0] ?? ''), ...cells.slice(1)].join('  ')}`);
  }
}

/** Text in lines of at most 100 characters, each behind `margin`. */
export function printWrapped(text: string, margin: string): void {
  for (const line of text.split('\n')) {
    let rest = line;
    while (rest.length > WIDTH - margin.length) {
      const cut = rest.lastIndexOf(' ', WIDTH - margin.length);
      console.log(margin + rest.slice(0, cut));
      rest = rest.slice(cut + 1);
    }
    console.log(margin + rest);
  }
}
