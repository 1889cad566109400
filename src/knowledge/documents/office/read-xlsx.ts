import { runInTurns } from '../../../tool/run-in-turns.ts';
import { ConvertedText, createFillBudget } from '../converted-text.ts';
import type { StructuredText } from '../section.ts';
import { type Archive, openArchive } from './archive.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  findAll,
  findMainPart,
  findPart,
  readRelations,
  readXml,
  readXmlRoot,
  textOf,
  type XmlElement,
} from './xml.ts';
import { SheetCollector } from './sheet.ts';

/** Reads an Excel workbook: its visible sheets as tables, with the saved values of formulas. */
export async function readXlsx(bytes: Uint8Array): Promise<StructuredText> {
  const archive = await openArchive(bytes, 'xlsx');
  const main = await findMainPart(archive, 'xl/workbook.xml');
  const relations = await readRelations(archive, main);
  const partOf = (type: string): string | undefined => findPart(archive, relations, type);
  const workbook = await readXmlRoot(archive, main, 'workbook');
  const book: Workbook = {
    strings: await readStrings(archive, partOf('sharedStrings')),
    formats: await readFormats(archive, partOf('styles')),
    is1904: /^(?:1|true)$/.test(childOf(workbook, 'workbookPr')?.attributes['date1904'] ?? ''),
  };
  const text = new ConvertedText();
  const collector = new SheetCollector(text, createFillBudget());
  for (const sheet of findAll(workbook, 'sheet')) {
    const part = relations.get(sheet.attributes['r:id'] ?? attributeOf(sheet, 'id') ?? '');
    const isVisible = (sheet.attributes['state'] ?? 'visible') === 'visible';
    if (!isVisible || part?.type !== 'worksheet' || !archive.has(part.target)) continue;
    await readSheet(archive, part.target, { book, collector });
    await runInTurns(collector.end(sheet.attributes['name'] ?? ''));
  }
  return text.end('is a workbook without words in visible sheets');
}

interface Workbook {
  readonly strings: readonly string[];
  /** By the style of a cell. */
  readonly formats: readonly CellFormat[];
  readonly is1904: boolean;
}

interface Reading {
  readonly book: Workbook;
  readonly collector: SheetCollector;
}

async function readSheet(archive: Archive, part: string, { book, collector }: Reading): Promise<void> {
  let row = 0;
  for await (const element of readXml(archive, part, { whole: new Set(['row', 'mergeCell']) })) {
    if (element.name === 'mergeCell') {
      const [from, to] = (element.attributes['ref'] ?? '').split(':').map(toPlace);
      if (from !== undefined && to !== undefined) collector.merge(from.row, from.column, to.row - from.row + 1);
      continue;
    }
    row = Number(element.attributes['r']) || row + 1;
    let column = 0;
    for (const cell of childrenOf(element, 'c')) {
      column = toPlace(cell.attributes['r'] ?? '')?.column ?? column + 1;
      collector.add(row, column, valueOf(cell, book));
    }
  }
}

function valueOf(cell: XmlElement, { strings, formats, is1904 }: Workbook): string {
  const value = textOf(childOf(cell, 'v'));
  switch (cell.attributes['t'] ?? 'n') {
    case 's':
      return strings[Number(value)] ?? '';
    case 'inlineStr':
      return stringOf(childOf(cell, 'is'));
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'n':
      return value === '' ? '' : formatNumber(Number(value), formats[Number(cell.attributes['s'])] ?? 'number', is1904);
    default:
      return value;
  }
}

/** Returns a text that may be in parts, without phonetic hints. */
function stringOf(item: XmlElement | undefined): string {
  if (item === undefined) return '';
  return item.children
    .map((child) => (typeof child === 'string' ? '' : child.name === 't' ? textOf(child) : textOf(childOf(child, 't'))))
    .join('');
}

async function readStrings(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  for await (const item of readXml(archive, part, { whole: new Set(['si']) })) {
    strings.push(
      stringOf({
        ...item,
        children: item.children.filter((child) => typeof child !== 'string' && child.name !== 'rPh'),
      }),
    );
  }
  return strings;
}

async function readFormats(archive: Archive, part: string | undefined): Promise<CellFormat[]> {
  if (part === undefined) return [];
  const styles = await readXmlRoot(archive, part, 'styleSheet');
  const codes = new Map<number, string>();
  for (const { attributes } of findAll(styles, 'numFmt'))
    codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
  return childrenOf(childOf(styles, 'cellXfs') ?? styles, 'xf').map(({ attributes }) => {
    const id = Number(attributes['numFmtId']);
    return formatOfNumber(id, codes.get(id));
  });
}

/** Parses a reference: `B3` → column 2, row 3. */
function toPlace(reference: string): { readonly row: number; readonly column: number } | undefined {
  const [, letters, digits] = /^([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(digits), column };
}

/** The display format of a number in a sheet. */
type CellFormat = 'number' | 'percent' | 'date' | 'time' | 'datetime' | 'duration';

/** Excel's built-in formats. */
const BUILT_IN: readonly (readonly [from: number, to: number, format: CellFormat])[] = [
  [9, 10, 'percent'],
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'datetime'],
  [27, 31, 'date'],
  [32, 33, 'time'],
  [34, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 58, 'date'],
];

/** Returns the format for an id, or for a code such as `yyyy-mm-dd` if the document defines one. */
function formatOfNumber(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number';
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'duration';
  // Removes literals, colours, conditions, and the part for negative numbers.
  const plain =
    code
      .slice(0, 500)
      .replaceAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
      .split(';')[0] ?? '';
  const hasTime = /[hs]/i.test(plain);
  const hasDate = /[yd]/i.test(plain) || (/m/i.test(plain) && !hasTime);
  if (hasDate && !/general/i.test(plain)) return hasTime ? 'datetime' : 'date';
  if (hasTime && !/general/i.test(plain)) return 'time';
  return plain.includes('%') ? 'percent' : 'number';
}

const DAY = 86_400_000;
/** The last day in Excel, in the year 9999. */
const MAX_DAY = 2_958_466;

/** Formats a number for people, and days as ISO dates. `is1904` counts days from 1904, as old Macs did. */
function formatNumber(value: number, format: CellFormat, is1904: boolean): string {
  if (!Number.isFinite(value)) return '';
  if (format === 'percent') return `${round(value * 100)}%`;
  if (format === 'duration') return clock(Math.round(value * 86_400));
  const days = is1904 ? value + 1462 : value;
  if (format === 'number' || days < 0 || days >= MAX_DAY) return round(value);
  if (value < 1 && format !== 'date') return clock(Math.round(value * 86_400));
  // Excel treats 1900 as a leap year, so all days before its March are off by one.
  const whole = Math.round((days < 60 ? days + 1 : days) * 86_400) * 1000;
  const iso = new Date(whole - 25_569 * DAY).toISOString();
  return format === 'date' || iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** Removes the rounding errors of binary fractions. */
function round(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function clock(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const size = Math.abs(seconds);
  return `${seconds < 0 ? '-' : ''}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}:${two(size % 60)}`;
}
