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
