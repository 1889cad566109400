import type { Section } from './section.ts';

interface OpenSection {
  readonly start: number;
  readonly depth: number;
  readonly title: string | undefined;
  readonly isWritten: boolean;
  readonly blocks: number[];
}

/** Builds sections from headings in the order in which they stand. */
export class HeadingStack {
  readonly #sections: Section[] = [];
  readonly #above: { readonly depth: number; readonly title: string }[] = [];
  readonly #root: readonly string[];
  #open: OpenSection = { start: 0, depth: 0, title: undefined, isWritten: false, blocks: [] };

  /** `root` is a title that stands above all headings. */
  constructor(root: readonly string[] = []) {
    this.#root = root;
  }

  /** A heading that starts here; what follows is under it. Without a title it ends what is as deep, and adds nothing. */
  heading(at: number, depth: number, title?: string): void {
    this.#finish(at);
    this.#open = { start: at, depth, title, isWritten: title !== undefined, blocks: [] };
  }

  /** A heading that does not stand in the text, such as a page's number. */
  unwritten(at: number, depth: number, title: string): void {
    this.#finish(at);
    this.#open = { start: at, depth, title, isWritten: false, blocks: [] };
  }

  /** A place to cut first when the section is too long. */
  block(at: number): void {
    if (at > this.#open.start) this.#open.blocks.push(at);
  }

  /** All sections of a text of this length. */
  end(length: number): Section[] {
    this.#finish(length);
    return this.#sections;
  }

  #finish(end: number): void {
    const { start, depth, title, isWritten, blocks } = this.#open;
    while ((this.#above.at(-1)?.depth ?? -1) >= depth) this.#above.pop();
    if (title !== undefined) this.#above.push({ depth, title });
    if (end === start) return;
    const headings = [...this.#root, ...this.#above.map((heading) => heading.title)];
    this.#sections.push({ start, end, depth, headings, shown: isWritten ? 1 : 0, blocks });
  }
}
