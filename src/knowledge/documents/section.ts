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
}

/** A document as text, with what is known of its structure. Sections follow each other without gaps. */
export interface StructuredText {
  readonly text: string;
  readonly sections: readonly Section[];
  /** Whether lines of the text are lines of the file; not so for converted formats. */
  readonly hasLines: boolean;
}
