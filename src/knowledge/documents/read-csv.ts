import { runInTurns } from '../../tool/run-in-turns.ts';
import { ConvertedText, createFillBudget, type FillBudget, type TableCell, TableWriter } from './converted-text.ts';
import type { StructuredText } from './section.ts';

interface SheetRow {
  readonly number: number;
  readonly cells: readonly TableCell[];
}

/** Reads a text of rows as a table. Default separator: detected from the text. */
export async function readCsv(text: string, separator?: string): Promise<StructuredText> {
  const converted = new ConvertedText();
  const writer = new SheetWriter(converted, createFillBudget());
  await runInTurns(writeRows(text, separator ?? findSeparator(text), writer));
  return converted.end('is a table without words');
}

function* writeRows(text: string, separator: string, writer: SheetWriter): Generator<void, void> {
  for (const row of parseRows(text, separator)) {
    if (row.cells.some((cell) => cell.text !== '')) writer.add(row);
    yield;
  }
  writer.end();
}

/** Writes rows as a table. Rows with one cell above its header are text, such as a title; an empty row ends it. */
export class SheetWriter {
  readonly #text: ConvertedText;
  readonly #budget: FillBudget;
  #table: TableWriter | undefined;
  #numbers: number[] = [];

  constructor(text: ConvertedText, budget: FillBudget) {
    this.#text = text;
    this.#budget = budget;
  }

  add({ number, cells }: SheetRow): void {
    const filled = cells.filter((cell) => cell.text.trim() !== '');
    if (filled.length === 0) return this.end();
    const [only] = filled;
    if (this.#table === undefined && filled.length === 1 && only !== undefined) {
      this.#text.mark(number);
      return this.#text.paragraph(only.text);
    }
    this.#table ??= new TableWriter(this.#budget);
    if (this.#table.add(cells) !== undefined) this.#numbers.push(number);
  }

  end(): void {
    if (this.#table !== undefined) this.#text.table(this.#table, this.#numbers);
    this.#table = undefined;
    this.#numbers = [];
  }
}

const SEPARATORS = [',', ';', '\t', '|'];
const SNIFFED_ROWS = 20;
const SNIFFED = 50_000;

/** Finds the separator that occurs equally often in most of the first rows. */
function findSeparator(text: string): string {
  let best = { separator: ',', score: 0 };
  for (const separator of SEPARATORS) {
    const widths: number[] = [];
    for (const { cells } of parseRows(text.slice(0, SNIFFED), separator)) {
      if (widths.push(cells.length) >= SNIFFED_ROWS) break;
    }
    const usual = widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 1;
    const score = usual < 2 ? 0 : widths.filter((width) => width === usual).length / widths.length + usual / 1000;
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

/**
 * Parses rows by RFC 4180. A cell in double quotes may contain separators, line ends and `""`. Quotes that are never
 * closed are ordinary characters.
 */
function* parseRows(text: string, separator: string): Generator<SheetRow, void> {
  let at = 0;
  let line = 1;
  let plainUntil = 0;
  while (at < text.length) {
    const number = line;
    const cells: TableCell[] = [];
    for (let isRow = true; isRow;) {
      const isQuoted = text.charCodeAt(at) === QUOTE && at >= plainUntil;
      const quoted = isQuoted ? endOfQuoted(text, at) : -1;
      // Avoids searching for the same missing quote again and again.
      if (isQuoted && quoted === -1) plainUntil = at + MAX_QUOTED;
      const from = quoted === -1 ? at : quoted;
      const end = endOfCell(text, from, separator);
      const value =
        quoted === -1
          ? text.slice(at, end)
          : text.slice(at + 1, quoted - 1).replaceAll('""', '"') + text.slice(quoted, end);
      if (quoted !== -1) line += value.split('\n').length - 1;
      cells.push({ text: value.trim() });
      isRow = text.startsWith(separator, end) && end < text.length;
      at = end + 1;
    }
    if (text[at - 1] === '\r' && text[at] === '\n') at++;
    line++;
    yield { number, cells };
  }
}

const QUOTE = 0x22;
/** A longer quoted cell is a quote that was not closed. */
const MAX_QUOTED = 100_000;

/** Returns the position after the closing quote, or -1. */
function endOfQuoted(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1 && at - start < MAX_QUOTED; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== QUOTE) return at + 1;
  }
  return -1;
}

function endOfCell(text: string, from: number, separator: string): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === separator || character === '\n' || character === '\r') return at;
  }
  return text.length;
}
