import { matches } from '../../packs/knowledge.ts';
import { stripVTControlCharacters } from 'node:util';
import type { PageExample } from '../command-page.ts';

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

/** Returns the paragraphs that describe the command: above its lists, or at the end of a script's own text. */
export function readSummaries(
  lines: readonly string[],
  command: readonly string[],
  isCommandTitle: (title: string) => boolean,
): string[] {
  const end = lines.findIndex((line) => /^\s*-{1,2}[A-Za-z]/.test(line) || isCommandTitle(line.trim()));
  const above = end === -1 ? lines : lines.slice(0, end);
  const found = above
    .join('\n')
    .split(/\n\s*\n/)
    .flatMap((paragraph) => readParagraph(paragraph.split('\n'), command));
  const isScript = command[0]?.includes('/') === true;
  return found.length > 0 || !isScript || end === -1 ? found : readBelow(lines.slice(end));
}

/** Returns the text of a paragraph, without the usage and headings in it. */
function readParagraph(lines: readonly string[], command: readonly string[]): string[] {
  const name = command.at(-1) ?? '';
  const isAboutUsage = isUsage(lines.find((line) => line.trim() !== '') ?? '', command);
  const text = lines
    .filter((line) => !/^\s*usage:?|^\s+or:|^\s{6,}|^examples?\b|:$/i.test(line))
    .filter((line) => !isAboutUsage || !(isUsage(line, command) || /^\s+(?:[[<({|]|-\w)/.test(line)))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const isNamed = text.startsWith(`${name} - `);
  const isForm = text.startsWith(`${command.join(' ')} `) && !isNamed && /[<[]/.test(text);
  // Authors of scripts may begin a text right below the usage in lower case.
  const isSmall = isAboutUsage && name.includes('/') && /^[a-z]+ [\w ,'-]+[.]?$/.test(text);
  const isSentence = /^[A-Z]/.test(text) || isNamed || text.startsWith(`${name} `) || isSmall;
  if (!isSentence || isForm || !text.includes(' ')) return [];
  const told = text.replace(`${name} - `, '');
  return [isSmall ? told.replace(/^[a-z]/, (letter) => letter.toUpperCase()) : told];
}

/** True for a usage line: its heading, or the command followed by an option or a value. */
function isUsage(line: string, [program = '', ...words]: readonly string[]): boolean {
  const [first = '', ...rest] = line.trim().split(/\s+/);
  if (/^usage:?$/i.test(first)) return true;
  const next = rest.find((word, at) => word !== words[at]) ?? '';
  return first.split('/').at(-1) === program.split('/').at(-1) && /^(?:[[<({]|--?\w|[A-Z_]{2,}$)/.test(next);
}

/** Returns unindented lines below the lists that are whole sentences. */
function readBelow(lines: readonly string[]): string[] {
  const told = lines.find((line) => /^[A-Z][a-z]+ .*[.]$/.test(line) && !matches('remark', line));
  return told === undefined ? [] : [told.trim()];
}

/** Reads the command lines in a help text, with the remark above each. */
export function readExamples(sections: readonly HelpSection[], [program = '']: readonly string[]): PageExample[] {
  const name = program.split('/').at(-1) ?? program;
  return sections.filter(({ title }) => /\bexamples?\b/i.test(title)).flatMap(({ body }) => readLines(body, name));
}

function readLines(lines: readonly string[], name: string): PageExample[] {
  const examples: PageExample[] = [];
  let remark: string[] = [];
  let isRemark = false;
  for (const raw of lines) {
    const line = raw.trim().replace(/^\$\s+/, '');
    if (line === '') continue;
    if (line.startsWith(`${name} `)) {
      // A remark may also follow the line.
      const [shown = '', behind = ''] = line.split(/\s{2,}#\s*/, 2);
      examples.push({ description: remark.join(' ') || behind, line: shown });
      remark = [];
      isRemark = false;
    } else if (/^(?:#\s*)?=>/.test(line)) {
      // Describes the line above.
      const last = examples.pop();
      if (last !== undefined) examples.push({ ...last, description: line.replace(/^(?:#\s*)?=>\s*/, '') });
    } else if (line.startsWith('#')) {
      remark = [...(isRemark ? remark : []), line.replace(/^#+\s*/, '')];
      isRemark = true;
    } else {
      remark = [line.replace(/:$/, '')];
      isRemark = false;
    }
  }
  return examples;
}
