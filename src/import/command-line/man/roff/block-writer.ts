/** Collects the blocks of a manual page while its macros are read. */
export class BlockWriter {
  readonly blocks: ManBlock[] = [];
  #level = 0;
  /** The states before each `.RS` or list. */
  readonly #outer: { readonly level: number; readonly isBody: boolean }[] = [];
  /** The description of a tag is one level deeper than the tag. */
  #isBody = false;
  #isLiteral = false;
  #lines: string[] = [];
  #joinsNext = false;

  /** Adds a line of text; with `joinsNext` the next one continues it without a space. */
  line(text: string, joinsNext = false): void {
    if (text.trim() === '' && !this.#isLiteral) {
      this.flush();
      return;
    }
    if (this.#joinsNext && this.#lines.length > 0) this.#lines.push(`${this.#lines.pop() ?? ''}${text}`);
    else this.#lines.push(this.#isLiteral ? text : text.trim().replaceAll(/\s+/g, ' '));
    this.#joinsNext = joinsNext;
  }

  /** Ends the paragraph; the next one has the same depth. */
  flush(): void {
    this.#joinsNext = false;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    if (lines.every((line) => line.trim() === '')) return;
    this.#push(this.#isLiteral ? 'literal' : 'text', lines);
  }

  /** Ends the paragraph, and the description of a tag. */
  paragraph(): void {
    this.flush();
    this.#isBody = false;
  }

  heading(type: 'section' | 'subsection', text: string): void {
    this.flush();
    this.#isLiteral = false;
    this.#isBody = false;
    this.#level = 0;
    this.#outer.length = 0;
    this.blocks.push({ type, indent: 0, lines: [text.trim().replaceAll(/\s+/g, ' ')] });
  }

  /** Adds a tag, which labels the text that follows. A second one in a row is another spelling of the first. */
  tag(text: string, isAnother = false): void {
    this.flush();
    this.#isBody = false;
    const shown = text.trim().replaceAll(/\s+/g, ' ');
    const isBullet = /^(?:[•○□·*o–—-]|\(?\d+[.)]?|\+o)?$/.test(shown);
    const last = this.blocks.at(-1);
    if (isAnother && last?.type === 'tag') this.blocks.splice(-1, 1, { ...last, lines: [...last.lines, shown] });
    else if (shown !== '') this.#push(isBullet ? 'bullet' : 'tag', [shown]);
    this.#isBody = true;
  }

  /** Puts the next paragraph at the depth of a tag's description. */
  body(): void {
    this.flush();
    this.#isBody = true;
  }

  literal(isLiteral: boolean): void {
    this.flush();
    this.#isLiteral = isLiteral;
  }

  deeper(): void {
    this.flush();
    this.#outer.push({ level: this.#level, isBody: this.#isBody });
    this.#level += 1;
    this.#isBody = false;
  }

  shallower(): void {
    this.flush();
    const outer = this.#outer.pop();
    this.#level = outer?.level ?? 0;
    this.#isBody = outer?.isBody ?? false;
  }

  #push(type: ManBlock['type'], lines: readonly string[]): void {
    this.blocks.push({ type, indent: this.#level + (this.#isBody ? 1 : 0), lines });
  }
}

/** A block of a manual page, in page order. */
export interface ManBlock {
  /**
   * `section` and `subsection` are headings; `tag` labels a description; `bullet` starts an item of a plain list; `text` is a
   * paragraph; `literal` is preformatted.
   */
  readonly type: 'section' | 'subsection' | 'tag' | 'bullet' | 'text' | 'literal';
  /** Its depth: 0 for text under a heading, 1 for the description of a tag there. */
  readonly indent: number;
  /** The lines of the source; for a tag, one for each spelling on its own line. */
  readonly lines: readonly string[];
}

export interface ManSection {
  readonly title: string;
  readonly blocks: readonly ManBlock[];
}

/** Splits a page at its headings. */
export function toSections(blocks: readonly ManBlock[]): ManSection[] {
  const sections: { title: string; blocks: ManBlock[] }[] = [];
  for (const block of blocks) {
    if (block.type === 'section') sections.push({ title: (block.lines[0] ?? '').toUpperCase(), blocks: [] });
    else sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

/** Returns the text of a block on one line. */
export function textOf({ lines }: ManBlock): string {
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim();
}
