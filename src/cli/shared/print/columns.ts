import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';
import { stripVTControlCharacters } from 'node:util';
import type { CliOutput } from './gate-output.ts';

const GAP = '  ';

/** The minimum width of a last cell that is cut or wrapped. */
const LEAST = 20;

/** Aligns rows in columns. If a row is longer than `width`, its last cell is cut, or wrapped in its column. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  width = Infinity,
  overflow: 'cut' | 'wrap' = 'cut',
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, visibleLength(cell));
  }
  return rows.flatMap((row) => {
    const last = row.length - 1;
    const cells = row.slice(0, last).map((cell, index) => padTo(cell, widths[index] ?? 0));
    const used = cells.reduce((sum, cell) => sum + visibleLength(cell) + GAP.length, 0);
    const room = Math.max(LEAST, width - used);
    if (overflow === 'cut') return [...cells, cut(row[last] ?? '', room)].join(GAP).trimEnd();
    const [first = '', ...more] = wrapText(row[last] ?? '', room);
    return [[...cells, first].join(GAP).trimEnd(), ...more.map((part) => `${' '.repeat(used)}${part}`)];
  });
}

/** Wraps a text between words. Longer words get a line of their own; leading blanks stay. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    if (visibleLength(paragraph) <= width) return [paragraph];
    const [indent = ''] = /^ */.exec(paragraph) ?? [];
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.trim().split(/ +/)) {
      const longer = line === '' ? `${indent}${word}` : `${line} ${word}`;
      if (line === '' || visibleLength(longer) <= width) line = longer;
      else {
        lines.push(line);
        line = `${indent}${word}`;
      }
    }
    return [...lines, line];
  });
}

/** Returns the width of a terminal, or infinity for other outputs. */
export function widthOf({ isTTY, columns }: CliOutput): number {
  return isTTY === true ? columns || 80 : Infinity;
}

/** Returns the first line of a text with hidden characters escaped, to fit into a cell. */
export function toCell(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  return revealHidden(first.replaceAll(/[\t ]+/g, ' ')).trim();
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

/**
 * Returns the mark of Pegboard's own escape sequences, which the gate recognizes and removes. Other texts cannot contain it: it is random
 * for each process and never printed. It consists of digits, so that marked sequences have no width.
 */
function visibleLength(text: string): number {
  let length = 0;
  for (const character of stripVTControlCharacters(text)) length += isWide(character) ? 2 : 1;
  return length;
}

function isWide(character: string): boolean {
  // Wide characters begin here; this check is much faster than the classes below.
  if (character.charCodeAt(0) < 0x1100) return false;
  return /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]$/u.test(
    character,
  );
}
