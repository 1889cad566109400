import { stripVTControlCharacters } from 'node:util';

/** Returns the lines of a help text without colors, tabs, trailing spaces and frames. */
export function toPlainLines(text: string): string[] {
  const lines = stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', '        ').trimEnd());
  return lines.some((line) => FRAME_TOP.test(line)) ? withoutFrames(lines) : lines;
}

/** `╭─ Options ────╮`, as Rich draws it for Typer and Click. */
const FRAME_TOP = /^\s*[╭┌+][─-]+ (.*?) [─-]+[╮┐+]$/u;
const FRAME_END = /^\s*[╰└+][─-]+[╯┘+]$/u;
const FRAME_ROW = /^\s*[│|] ?(.*?)\s*[│|]$/u;

/** Replaces frames with headings and lists. */
function withoutFrames(lines: readonly string[]): string[] {
  const plain: string[] = [];
  let rows: string[] | undefined;
  for (const line of lines) {
    const title = FRAME_TOP.exec(line)?.[1];
    const row = FRAME_ROW.exec(line)?.[1];
    if (title !== undefined) {
      plain.push(`${title}:`);
      rows = [];
    } else if (rows !== undefined && FRAME_END.test(line)) {
      plain.push(...joinRows(rows).map(toListLine), '');
      rows = undefined;
    } else if (rows !== undefined && row !== undefined) rows.push(row);
    // Rich indents everything by one space.
    else plain.push(line.replace(/^ (?=\S)/, ''));
  }
  return plain;
}

/** Joins rows that continue on indented lines. */
function joinRows(rows: readonly string[]): string[] {
  const joined: string[] = [];
  // `* --name`: marks precede the first column.
  const hasMarks = rows.some((row) => /^\* {2,}\S/.test(row));
  const start = hasMarks ? /^(?:\*| ) {2,6}\S/ : /^\S/;
  for (const row of rows) {
    if (start.test(row) || joined.length === 0) joined.push(row);
    else joined.push(`${joined.pop()}${row.trim() === '' ? '' : ` ${row.trim()}`}`);
  }
  return joined;
}

/** Type names in capitals, as Click writes them. */
const TYPE = /^(?:<[^>]*>|\[[^\]]*\|[^\]]*\]|[A-Z]+(?: RANGE)?(?: \[[^\]]*\])?)(?:\.\.\.)?$/;

/** Turns the row `*  --name  -n  TEXT  How it is called  [required]` into `  --name, -n TEXT  How it is called  [required]`. */
function toListLine(row: string): string {
  const isRequired = row.startsWith('*');
  const cells = row
    .replace(/^\*/, '')
    .trim()
    .split(/\s{2,}/);
  const isFlag = (cell: string): boolean => /^-{1,2}\w/.test(cell);
  if (!isFlag(cells[0] ?? '')) {
    // A positional: its type says less than its name.
    const [name = '', ...rest] = cells;
    const text = TYPE.test(rest[0] ?? '') ? rest.slice(1) : rest;
    return `  ${name}  ${text.join('  ')}`.trimEnd();
  }
  const end = cells.findIndex((cell) => !isFlag(cell));
  const flags = (end === -1 ? cells : cells.slice(0, end)).flatMap((cell) => cell.split(/\s*,\s*/));
  const rest = end === -1 ? [] : cells.slice(end);
  const [, type = '', range = ''] = /^(<[^>]*>|.*? RANGE|.*?)( \[[^\]]*\])?$/.exec(rest[0] ?? '') ?? [];
  const hasType = TYPE.test(rest[0] ?? '') || TYPE.test(type);
  const text = [...(hasType ? [range.trim(), ...rest.slice(1)] : rest)].filter((cell) => cell !== '');
  const mark = isRequired && !/\[required\]/.test(row) ? ['[required]'] : [];
  return `  ${flags.join(', ')}${hasType ? ` ${type}` : ''}  ${[...text, ...mark].join('  ')}`.trimEnd();
}

/** A heading of a help text and the lines under it. */
export interface HelpSection {
  readonly title: string;
  readonly body: readonly string[];
}

/** Splits a help text at its headings. Groups under a heading, as in git's, stay part of its section. */
export function splitSections(lines: readonly string[]): HelpSection[] {
  const sections: { title: string; body: string[] }[] = [{ title: '', body: [] }];
  for (const line of lines) {
    if (isHeading(line)) sections.push({ title: line.trim(), body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}

function isHeading(line: string): boolean {
  if (/^ {0,2}-/.test(line)) return false;
  // openssl: `Standard commands`; a heading about another command has a remark.
  if (/^[A-Z][a-z]+(?: [A-Z][a-z]+)? commands\b(?:$| \()/.test(line)) return true;
  return /^ ?\S[^:]*:$/.test(line) || /^[A-Z][A-Z -]{3,}$/.test(line);
}
