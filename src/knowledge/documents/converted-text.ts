import { runInTurns } from '../../tool/run-in-turns.ts';
import { scanMarkdown } from './scan-markdown.ts';
import { checkLength, DocumentRefusal } from './document-refusal.ts';
import type { SourceMark, StructuredText } from './section.ts';

/** The text of a file in another format, written as Markdown block by block. */
export class ConvertedText {
  readonly #blocks: string[] = [];
  readonly #marks: SourceMark[] = [];
  #length = 0;

  /** Sets the page, slide, row or cell of what follows. */
  mark(number: number): void {
    this.#markAt(this.#length, number);
  }

  /** Adds a heading, unless it is empty. */
  heading(depth: number, title: string): void {
    const words = title.replaceAll(/\s+/g, ' ').trim();
    if (words !== '') this.markdown(`${'#'.repeat(Math.min(6, Math.max(1, depth)))} ${words}`);
  }

  /** Adds plain text, escaped for Markdown. */
  paragraph(words: string): void {
    this.markdown(words.trim().split('\n').map(escapeStart).join('\n'));
  }

  markdown(block: string): void {
    if (block.trim() === '') return;
    const text = `${block}\n\n`;
    this.#length += text.length;
    checkLength(this.#length);
    this.#blocks.push(text);
  }

  /** Adds a table; `numbers` has the number of each row, including the header. */
  table(table: TableWriter, numbers: readonly number[] = []): void {
    const text = table.end();
    let at = this.#length;
    for (const [row, number] of numbers.entries()) {
      this.#markAt(at, number);
      at = this.#length + text.indexOf('\n', at - this.#length) + 1;
      // The line below the header is not a row.
      if (row === 0) at = this.#length + text.indexOf('\n', at - this.#length) + 1;
    }
    this.markdown(text);
  }

  /** Returns the document. Throws a refusal with the reason `empty` if it has no words. */
  async end(empty: string): Promise<StructuredText> {
    const text = this.#blocks.join('').trimEnd();
    if (text === '') throw new DocumentRefusal(empty);
    const marks = this.#marks.length === 0 ? undefined : this.#marks;
    return { text, sections: await runInTurns(scanMarkdown(text)), hasLines: false, marks };
  }

  #markAt(at: number, number: number): void {
    if (this.#marks.at(-1)?.at === at) this.#marks.pop();
    this.#marks.push({ at, number });
  }
}

export interface TableCell {
  readonly text: string;
  /** Columns that it spans. Default: 1. */
  readonly across?: number;
  /** Rows that it spans. Default: 1. */
  readonly down?: number;
  /** True if it belongs to the cell above it. */
  readonly isBelow?: boolean;
}

/** The number of characters that merged cells may add to a document: a few bytes of a file can ask for millions of cells. */
export interface FillBudget {
  left: number;
}

export function createFillBudget(): FillBudget {
  return { left: 1_000_000 };
}

/** Longer texts of merged cells are not repeated. */
const MAX_REPEATED = 200;
const MAX_ACROSS = 100;
const BORDER = 3;
const TO_ESCAPE = /[^\S ]|\s\s|^\s|\s$|\|/;

/**
 * Writes a table as Markdown, with its first row as the header.
 *
 * The text of a merged cell is repeated in each of its rows and in the first of its columns, so that every row can be
 * understood alone.
 */
export class TableWriter {
  readonly #lines: string[] = [];
  readonly #budget: FillBudget;
  #headerWidth = 0;
  #width = 0;
  #length = 0;
  /** The text of the row above in each column, and the number of rows in which it repeats. */
  #above: { readonly text: string; readonly left: number }[] = [];

  constructor(budget: FillBudget) {
    this.#budget = budget;
  }

  /** Adds a row. Returns its line, or `undefined` if it is empty. */
  add(cells: readonly TableCell[]): string | undefined {
    const texts: string[] = [];
    const below: { readonly text: string; readonly left: number }[] = [];
    const put = (text: string, left: number): void => {
      below[texts.length] = { text, left };
      texts.push(text);
    };
    const putMerged = (): void => {
      while (this.#budget.left > 0) {
        const above = this.#above[texts.length];
        if (above === undefined || above.left === 0) return;
        put(this.#spend(above.text), above.left - 1);
      }
    };
    for (const { text, across = 1, down = 1, isBelow = false } of cells) {
      putMerged();
      const shown = escapeCell(text);
      if (isBelow && shown === '') put(this.#spend(this.#above[texts.length]?.text ?? ''), 0);
      else put(shown, down - 1);
      for (let more = Math.min(across, MAX_ACROSS) - 1; more > 0 && this.#budget.left > 0; more--) {
        put(this.#spend(''), down - 1);
      }
    }
    putMerged();
    this.#above = below;
    while (texts.at(-1) === '') texts.pop();
    if (texts.length === 0) return undefined;
    if (this.#lines.length === 0) this.#headerWidth = texts.length;
    this.#width = Math.max(this.#width, texts.length);
    const line = `| ${texts.join(' | ')} |`;
    this.#length += line.length;
    checkLength(this.#length);
    this.#lines.push(line);
    return line;
  }

  /** Returns the table, or an empty text without rows. */
  end(): string {
    const [header, ...rows] = this.#lines;
    if (header === undefined) return '';
    // The header must be as wide as the widest row, or Markdown drops the rest.
    const padded = header + '  |'.repeat(this.#width - this.#headerWidth);
    return [padded, `|${'---|'.repeat(this.#width)}`, ...rows].join('\n');
  }

  /** Returns the part of a repeated text that fits the budget; an empty cell costs its border. */
  #spend(text: string): string {
    const shown = text.length > MAX_REPEATED || text.length > this.#budget.left ? '' : text;
    this.#budget.left -= shown.length + BORDER;
    return shown;
  }
}

/** Puts a cell on one line and escapes its bars. */
function escapeCell(cell: string): string {
  if (!TO_ESCAPE.test(cell)) return cell;
  return cell
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('|', String.raw`\|`);
}

/** Text that Markdown would not read as text at the start of a line. */
const MARK_AT_START = /^(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|`{3}|~{3}|(?:=+|-+|_+)\s*$|<)/;
const NUMBER_AT_START = /^(\d{1,9})(?=[.)](?:\s|$))/;

/** Escapes a line that Markdown would read as a heading, a list or the like. */
export function escapeStart(line: string): string {
  if (MARK_AT_START.test(line)) return `\\${line}`;
  return line.replace(NUMBER_AT_START, '$1\\');
}
