/** A table in a text, written as Markdown. A chunk of its rows begins with its header. */
export interface TextTable {
  readonly start: number;
  /** Where its first row starts; the names of the columns stand before it. */
  readonly rows: number;
  readonly end: number;
}

/** A place in a converted text, and the page, slide, row or cell of the file that starts there. */
export interface SourceMark {
  readonly at: number;
  /** Counted from 1. */
  readonly number: number;
}

/** A stretch of a text under one heading, up to the next heading; for code, a declaration up to the next. */
export interface Section {
  readonly start: number;
  readonly end: number;
  /** 0 before the first heading; a section belongs to the last one above it with a smaller depth. */
  readonly depth: number;
  /** The headings it stands under, outermost first, its own last. */
  readonly headings: readonly string[];
  /** How many of the innermost headings stand at its start: 1 for its own, 0 where none is written. */
  readonly shown: number;
  /** Where paragraphs, lists, fences or members start: the places to cut first. */
  readonly blocks: readonly number[];
  /** In order. */
  readonly tables: readonly TextTable[];
}

/** A document as text, with what is known of its structure. Sections follow each other without gaps. */
export interface StructuredText {
  readonly text: string;
  readonly sections: readonly Section[];
  /** Whether lines of the text are lines of the file; not so for converted formats. */
  readonly hasLines: boolean;
  /** Where pages, slides, rows or cells of a converted file start, in order; `placeUnit` says which. Chunks have these numbers as lines. */
  readonly marks?: readonly SourceMark[] | undefined;
}

interface OpenSection {
  readonly start: number;
  readonly depth: number;
  readonly title: string | undefined;
  readonly isWritten: boolean;
  readonly blocks: number[];
  readonly tables: TextTable[];
}

/** Builds sections from headings in the order in which they stand. */
export class HeadingStack {
  readonly #sections: Section[] = [];
  readonly #above: { readonly depth: number; readonly title: string }[] = [];
  readonly #root: readonly string[];
  #open: OpenSection = { start: 0, depth: 0, title: undefined, isWritten: false, blocks: [], tables: [] };

  /** `root` is a title that stands above all headings. */
  constructor(root: readonly string[] = []) {
    this.#root = root;
  }

  /** A heading that starts here; what follows is under it. Without a title it ends what is as deep, and adds nothing. */
  heading(at: number, depth: number, title?: string): void {
    this.#finish(at);
    this.#open = { start: at, depth, title, isWritten: title !== undefined, blocks: [], tables: [] };
  }

  /** A heading that does not stand in the text, such as a page's number. */
  unwritten(at: number, depth: number, title: string): void {
    this.#finish(at);
    this.#open = { start: at, depth, title, isWritten: false, blocks: [], tables: [] };
  }

  /** A place to cut first when the section is too long. */
  block(at: number): void {
    if (at > this.#open.start) this.#open.blocks.push(at);
  }

  /** A table that has ended. */
  table(table: TextTable): void {
    this.#open.tables.push(table);
  }

  /** All sections of a text of this length. */
  end(length: number): Section[] {
    this.#finish(length);
    return this.#sections;
  }

  #finish(end: number): void {
    const { start, depth, title, isWritten, blocks, tables } = this.#open;
    while ((this.#above.at(-1)?.depth ?? -1) >= depth) this.#above.pop();
    if (title !== undefined) this.#above.push({ depth, title });
    if (end === start) return;
    const headings = [...this.#root, ...this.#above.map((heading) => heading.title)];
    this.#sections.push({ start, end, depth, headings, shown: isWritten ? 1 : 0, blocks, tables });
  }
}
