import type { ConvertedText, FillBudget, TableCell } from '../converted-text.ts';
import { checkLength, DocumentRefusal } from '../document-refusal.ts';
import { SheetWriter } from '../read-csv.ts';

/** Filled cells of all sheets of a document. */
const MAX_CELLS = 1_000_000;
/** Rows in which merged cells are repeated, for all sheets of a document. */
const MAX_MERGED = 200_000;

interface Row {
  readonly number: number;
  readonly cells: Map<number, string>;
  /** Columns whose cell belongs to the one above it. */
  readonly below: Set<number>;
}

/** Collects the filled cells of sheets, which may be anywhere among billions. */
export class SheetCollector {
  readonly #text: ConvertedText;
  readonly #budget: FillBudget;
  #rows = new Map<number, Row>();
  readonly #merges: { readonly row: number; readonly column: number; readonly rows: number }[] = [];
  #cells = 0;
  #characters = 0;
  #merged = 0;

  constructor(text: ConvertedText, budget: FillBudget) {
    this.#text = text;
    this.#budget = budget;
  }

  /** Adds a cell; rows and columns count from 1. */
  add(row: number, column: number, text: string): void {
    if (text.trim() === '') return;
    if (++this.#cells > MAX_CELLS) throw new DocumentRefusal(`has more than ${MAX_CELLS} cells; split it`);
    this.#characters += text.length;
    checkLength(this.#characters);
    this.#row(row).cells.set(column, text);
  }

  /** Repeats the text of a merged cell in its other rows, once all of them are known. */
  merge(row: number, column: number, rows: number): void {
    if (rows > 1 && this.#merges.length < MAX_MERGED) this.#merges.push({ row, column, rows });
  }

  /** Writes the sheet under its name and resets for the next; skips empty columns, and an empty row ends a table. */
  *end(name: string): Generator<void, void> {
    this.#mergeAll();
    const rows = [...this.#rows.values()].toSorted((a, b) => a.number - b.number);
    this.#rows = new Map();
    if (rows.length === 0) return;
    this.#text.mark(rows[0]?.number ?? 1);
    this.#text.heading(1, name);
    let block: Row[] = [];
    for (const row of rows) {
      if (row.number - (block.at(-1)?.number ?? row.number) > 1) {
        yield* this.#writeBlock(block);
        block = [];
      }
      block.push(row);
    }
    yield* this.#writeBlock(block);
  }

  *#writeBlock(rows: readonly Row[]): Generator<void, void> {
    const used = new Set<number>();
    for (const row of rows) for (const column of row.cells.keys()) used.add(column);
    const columns = [...used].toSorted((a, b) => a - b);
    const writer = new SheetWriter(this.#text, this.#budget);
    for (const { number, cells, below } of rows) {
      const last = Math.max(...cells.keys(), ...below);
      const shown: TableCell[] = [];
      for (const column of columns) {
        if (column > last) break;
        shown.push({ text: cells.get(column) ?? '', isBelow: below.has(column) });
      }
      writer.add({ number, cells: shown });
      yield;
    }
    writer.end();
  }

  #mergeAll(): void {
    for (const { row, column, rows } of this.#merges.splice(0)) {
      if (this.#rows.get(row)?.cells.has(column) !== true) continue;
      for (let more = 1; more < rows && this.#merged < MAX_MERGED; more++, this.#merged++) {
        // Rows without any other cell are skipped.
        this.#rows.get(row + more)?.below.add(column);
      }
    }
  }

  #row(number: number): Row {
    let row = this.#rows.get(number);
    if (row === undefined) {
      row = { number, cells: new Map(), below: new Set() };
      this.#rows.set(number, row);
    }
    return row;
  }
}
