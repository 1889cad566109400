import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { stripVTControlCharacters } from 'node:util';

const GAP = '  ';

/** Rows as lines whose cells stand under each other; lines longer than `width` are cut in their last cell. */
export function alignColumns(rows: readonly (readonly string[])[], width = Infinity): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, visibleLength(cell));
  }
  return rows.map((row) => {
    const last = row.length - 1;
    const cells = row.slice(0, last).map((cell, index) => padTo(cell, widths[index] ?? 0));
    const used = cells.reduce((sum, cell) => sum + visibleLength(cell) + GAP.length, 0);
    return [...cells, cut(row[last] ?? '', Math.max(20, width - used))].join(GAP).trimEnd();
  });
}

/** The first line of a text, hidden characters spelt out: what fits into a cell. */
export function toCell(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  return revealHidden(first.replaceAll(/[\t ]+/g, ' ')).trim();
}

/** `1 document`, `2,000 documents`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

function padTo(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - visibleLength(cell)));
}

function cut(cell: string, width: number): string {
  if (visibleLength(cell) <= width) return cell;
  let kept = '';
  let length = 0;
  for (const character of stripVTControlCharacters(cell)) {
    length += visibleLength(character);
    if (length >= width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Characters a terminal shows; colours count for nothing, wide characters for two. */
function visibleLength(text: string): number {
  let length = 0;
  for (const character of stripVTControlCharacters(text)) length += WIDE.test(character) ? 2 : 1;
  return length;
}

const WIDE = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]$/u;
