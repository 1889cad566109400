import { checkLength } from './document-refusal.ts';

/** A cell, and how much of a table it takes. */
export interface TableCell {
  readonly text: string;
  /** How many columns it takes. Default: 1. */
  readonly across?: number;
  /** How many rows it takes. Default: 1. */
  readonly down?: number;
  /** Whether it belongs to the cell above it. */
  readonly isBelow?: boolean;
}

/** How many characters merged cells may add to a document: a few bytes of a file can ask for millions of cells. */
export interface FillBudget {
  left: number;
}

/** A budget for one document. */
export function createFillBudget(): FillBudget {
  return { left: 1_000_000 };
}

/** Longer texts of merged cells are not repeated. */
const MAX_REPEATED = 200;
const MAX_ACROSS = 100;
const BORDER = 3;
const TO_ESCAPE = /[^\S ]|\s\s|^\s|\s$|\|/;

/**
 * Writes a table as Markdown, its first row as the header.
 *
 * The text of a merged cell stands in each of its rows and in the first of its columns, so that every row can be understood alone.
 */
export class TableWriter {
  readonly #lines: string[] = [];
  readonly #budget: FillBudget;
  #headerWidth = 0;
  #width = 0;
  #length = 0;
  /** What the row above has in each column, and in how many more rows it stands. */
  #above: { readonly text: string; readonly left: number }[] = [];

  constructor(budget: FillBudget) {
    this.#budget = budget;
  }

  /** Adds a row; gives its line, or nothing for an empty one. */
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

  /** The whole table; nothing without rows. */
  end(): string {
    const [header, ...rows] = this.#lines;
    if (header === undefined) return '';
    // The header must be as wide as the widest row, or Markdown drops what is beyond it.
    const padded = header + '  |'.repeat(this.#width - this.#headerWidth);
    return [padded, `|${'---|'.repeat(this.#width)}`, ...rows].join('\n');
  }

  /** What is written of a text that is repeated: also an empty cell has its border. */
  #spend(text: string): string {
    const shown = text.length > MAX_REPEATED || text.length > this.#budget.left ? '' : text;
    this.#budget.left -= shown.length + BORDER;
    return shown;
  }
}

/** A cell stays on its line, and its bars are no borders. */
function escapeCell(cell: string): string {
  if (!TO_ESCAPE.test(cell)) return cell;
  return cell
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('|', String.raw`\|`);
}
