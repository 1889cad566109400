/** A Markdown table in a text. A chunk of its rows begins with its header. */
export interface TextTable {
  readonly start: number;
  /** The start of its first row, after the header. */
  readonly rows: number;
  readonly end: number;
}

/** A position in a converted text where a page, slide, row or cell of the file starts. */
export interface SourceMark {
  readonly at: number;
  /** Counted from 1. */
  readonly number: number;
}

/** A range of a text from one heading to the next; in code, from one declaration to the next. */
export interface Section {
  readonly start: number;
  readonly end: number;
  /** 0 before the first heading; a section belongs to the last one above it with a smaller depth. */
  readonly depth: number;
  /** The headings above it, outermost first, and its own. */
  readonly headings: readonly string[];
  /** The number of innermost headings that its text starts with: 1 for its own, 0 if none is written. */
  readonly shown: number;
  /** Starts of paragraphs, lists, fences or members: preferred places to split. */
  readonly blocks: readonly number[];
  readonly tables: readonly TextTable[];
}

/** A document as text with its structure. Sections follow each other without gaps. */
export interface StructuredText {
  readonly text: string;
  readonly sections: readonly Section[];
  /** True if lines of the text are lines of the file, which is not so for converted formats. */
  readonly hasLines: boolean;
  /**
   * Starts of pages, slides, rows or cells of a converted file, in order; `placeUnit` returns which. Chunks have these
   * numbers as lines.
   */
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

/** Builds sections from headings in their order. */
export class HeadingStack {
  readonly #sections: Section[] = [];
  readonly #above: { readonly depth: number; readonly title: string }[] = [];
  readonly #root: readonly string[];
  #open: OpenSection = { start: 0, depth: 0, title: undefined, isWritten: false, blocks: [], tables: [] };

  /** `root` is a title above all headings. */
  constructor(root: readonly string[] = []) {
    this.#root = root;
  }

  /** Starts a section with a heading. Without a title it only ends sections of the same or a greater depth. */
  heading(at: number, depth: number, title?: string): void {
    this.#finish(at);
    this.#open = { start: at, depth, title, isWritten: title !== undefined, blocks: [], tables: [] };
  }

  /** Starts a section with a heading that is not in the text, such as a page number. */
  unwritten(at: number, depth: number, title: string): void {
    this.#finish(at);
    this.#open = { start: at, depth, title, isWritten: false, blocks: [], tables: [] };
  }

  block(at: number): void {
    if (at > this.#open.start) this.#open.blocks.push(at);
  }

  table(table: TextTable): void {
    this.#open.tables.push(table);
  }

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
