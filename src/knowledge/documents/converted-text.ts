import { runInTurns } from '../../tool/run-in-turns.ts';
import type { TableWriter } from './markdown-table.ts';
import { escapeStart } from './html/write-markdown.ts';
import { scanMarkdown } from './scan-markdown.ts';
import { checkLength, DocumentRefusal } from './document-refusal.ts';
import type { SourceMark, StructuredText } from './section.ts';

/** The text of a file in another format, written as Markdown block by block. */
export class ConvertedText {
  readonly #blocks: string[] = [];
  readonly #marks: SourceMark[] = [];
  #length = 0;

  /** What follows is on this page, slide or row, or in this cell. */
  mark(number: number): void {
    this.#markAt(this.#length, number);
  }

  /** A heading; one without words is left out. */
  heading(depth: number, title: string): void {
    const words = title.replaceAll(/\s+/g, ' ').trim();
    if (words !== '') this.markdown(`${'#'.repeat(Math.min(6, Math.max(1, depth)))} ${words}`);
  }

  /** Words that are no Markdown. */
  paragraph(words: string): void {
    this.markdown(words.trim().split('\n').map(escapeStart).join('\n'));
  }

  /** A block that is Markdown already. */
  markdown(block: string): void {
    if (block.trim() === '') return;
    const text = `${block}\n\n`;
    this.#length += text.length;
    checkLength(this.#length);
    this.#blocks.push(text);
  }

  /** A table; `numbers` has the number of each of its rows, the header included. */
  table(table: TableWriter, numbers: readonly number[] = []): void {
    const text = table.end();
    let at = this.#length;
    for (const [row, number] of numbers.entries()) {
      this.#markAt(at, number);
      at = this.#length + text.indexOf('\n', at - this.#length) + 1;
      // The line below the header is no row.
      if (row === 0) at = this.#length + text.indexOf('\n', at - this.#length) + 1;
    }
    this.markdown(text);
  }

  /** The document; refused when it has no words. */
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
