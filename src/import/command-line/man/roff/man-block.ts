/** A piece of a manual page, in the order in which they stand there. */
export interface ManBlock {
  /**
   * `section` and `subsection` are headings; `tag` is what stands to the left of a description; `bullet` starts an item
   * of a plain list; `text` is a paragraph; `literal` is shown as it is written.
   */
  readonly type: 'section' | 'subsection' | 'tag' | 'bullet' | 'text' | 'literal';
  /** How deep it stands: 0 for the text under a heading, 1 for the description of a tag there. */
  readonly indent: number;
  /** The lines of the source; of a tag, one for each spelling that stands alone. */
  readonly lines: readonly string[];
}
