import { createFillBudget, escapeStart, TableWriter } from '../converted-text.ts';

/** The part of a DOM node used here. */
interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  getAttribute?(name: string): string | null;
}

const ELEMENT = 1;
const TEXT = 3;
const BLOCK =
  /^(?:address|article|aside|blockquote|body|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|header|hgroup|html|legend|main|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/;
/** Elements that a cell of a data table does not contain: such a table is for layout. */
const LAYOUT = /^(?:table|h[1-6]|ul|ol|pre|blockquote|article|section|main)$/;
const MARKS: ReadonlyMap<string, string> = new Map(
  Object.entries({ b: '**', strong: '**', i: '_', em: '_', code: '`', kbd: '`', samp: '`' }),
);
const MAX_LEVELS = 12;

/** The context of written text: nesting in lists and quotes, and if it must stay on one line. */
interface Place {
  readonly prefix: string;
  readonly levels: number;
  readonly isCell: boolean;
  /** Counts the items of an ordered list. */
  readonly list: { next: number | undefined } | undefined;
  /** Collects the rows of the current table. */
  readonly table: TableWriter | undefined;
}

/**
 * Writes the content of a page as Markdown, in one pass: headings, paragraphs, lists, quotes, tables, code, links.
 *
 * `below` is the number of levels by which headings are lowered. Default: 0.
 */
export function writeMarkdown(root: PageNode, below = 0): string {
  const writer = new MarkdownWriter(below);
  writer.write(root, { prefix: '', levels: 0, isCell: false, list: undefined, table: undefined });
  return writer.end();
}

class MarkdownWriter {
  readonly #blocks: string[] = [];
  /** The pieces of the current paragraph. */
  #pieces: string[] = [];
  /** The number of pieces with words so far, to drop marks around nothing without checking each piece again. */
  #words = 0;
  #prefix = '';
  /** The start of the next line instead of its prefix: the mark of a list item. */
  #mark: string | undefined;
  readonly #below: number;
  readonly #budget = createFillBudget();

  constructor(below: number) {
    this.#below = below;
  }

  write(node: PageNode, place: Place): void {
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.nodeType === TEXT) this.#say((child.textContent ?? '').replaceAll(/[ \t\r\n\f]+/g, ' '));
      else if (child.nodeType === ELEMENT) this.#element(child, place);
    }
  }

  end(): string {
    this.#flush();
    return this.#blocks.join('\n\n');
  }

  #element(node: PageNode, place: Place): void {
    const name = node.nodeName.toLowerCase();
    if (place.isCell && (BLOCK.test(name) || name === 'br')) this.#pieces.push(' ');
    else if (name === 'br') this.#pieces.push('\n');
    if (name === 'br') return;
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined && !place.isCell) return this.#heading(node, Number(heading), place);
    if (name === 'pre' && !place.isCell) return this.#code(node, place);
    if (name === 'li' && !place.isCell) return this.#item(node, place);
    if (name === 'table' && !place.isCell && !isLayout(node)) return this.#table(node, place);
    if (name === 'tr' && place.table !== undefined && !place.isCell) return this.#row(node, place.table, place);
    if (name === 'hr') return place.isCell ? undefined : this.#flush();
    if (!BLOCK.test(name) || place.isCell) return this.#inline(name, node, place);
    const list = name === 'ol' ? { next: Number(node.getAttribute?.('start') ?? 1) || 1 } : { next: undefined };
    const inner = name === 'blockquote' ? deeper(place, '> ') : place;
    this.#block(place, () => this.write(node, name === 'ol' || name === 'ul' ? { ...inner, list } : inner), inner);
  }

  #block(place: Place, write: () => void, inner: Place = place): void {
    this.#flush();
    this.#prefix = inner.prefix;
    write();
    this.#flush();
    this.#prefix = place.prefix;
  }

  #heading(node: PageNode, depth: number, place: Place): void {
    this.#block(place, () => {
      this.write(node, { ...place, isCell: true });
      const text = this.#take().replaceAll('\n', ' ').trim();
      if (text !== '') this.#put(`${'#'.repeat(Math.min(6, depth + this.#below))} ${text}`);
    });
  }

  #code(node: PageNode, place: Place): void {
    this.#block(place, () => {
      const text = (node.textContent ?? '').replace(/^\n/, '').trimEnd();
      if (text === '') return;
      const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
      const fence = '`'.repeat(longest + 1);
      this.#put(`${fence}\n${text}\n${fence}`);
    });
  }

  #item(node: PageNode, place: Place): void {
    const mark = place.list?.next === undefined ? '- ' : `${place.list.next++}. `;
    const inner = deeper(place, ' '.repeat(mark.length));
    this.#block(
      place,
      () => {
        this.#mark = place.prefix + mark;
        this.write(node, { ...inner, list: undefined });
        this.#flush();
        this.#mark = undefined;
      },
      inner,
    );
  }

  #table(node: PageNode, place: Place): void {
    this.#block(place, () => {
      const table = new TableWriter(this.#budget);
      this.write(node, { ...place, table });
      this.#flush();
      const text = table.end();
      if (text !== '') this.#put(text);
    });
  }

  #row(node: PageNode, table: TableWriter, place: Place): void {
    this.#flush();
    const cells = [];
    for (let cell = node.firstChild; cell !== null; cell = cell.nextSibling) {
      if (cell.nodeType !== ELEMENT) continue;
      this.write(cell, { ...place, isCell: true, table: undefined });
      cells.push({ text: this.#take(), across: spanOf(cell, 'colspan'), down: spanOf(cell, 'rowspan') });
    }
    table.add(cells);
  }

  #inline(name: string, node: PageNode, place: Place): void {
    if (name === 'img') {
      const alt = node.getAttribute?.('alt') ?? '';
      if (alt !== '') this.#say(`![${alt}](${node.getAttribute?.('src') ?? ''})`);
      return;
    }
    const href = name === 'a' ? (node.getAttribute?.('href') ?? '') : '';
    const mark = MARKS.get(name) ?? '';
    const [open, close] = href === '' ? [mark, mark] : ['[', `](${href})`];
    const from = this.#pieces.push(open);
    const [blocks, words] = [this.#blocks.length, this.#words];
    this.write(node, place);
    // There is nothing to mark, or there are blocks inside, which marks cannot contain.
    if (this.#blocks.length !== blocks) return;
    if (this.#words > words) this.#pieces.push(close);
    else this.#pieces[from - 1] = '';
  }

  #say(text: string): void {
    this.#pieces.push(text);
    if (text.trim() !== '') this.#words++;
  }

  /** Returns the current paragraph with one space between words and none around line breaks. */
  #take(): string {
    const text = this.#pieces.join('');
    this.#pieces = [];
    return text
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
      .join('\n')
      .trim();
  }

  #flush(): void {
    const text = this.#take();
    if (text !== '') this.#put(text.split('\n').map(escapeStart).join('\n'));
  }

  #put(text: string): void {
    const first = this.#mark ?? this.#prefix;
    this.#mark = undefined;
    this.#blocks.push(first + (this.#prefix === '' ? text : text.replaceAll('\n', `\n${this.#prefix}`)));
  }
}

function spanOf(cell: PageNode, name: string): number {
  return Math.max(1, Number.parseInt(cell.getAttribute?.(name) ?? '1', 10) || 1);
}

/** Returns true if a table only lays out a page, as in old pages and mails. */
function isLayout(table: PageNode): boolean {
  if (table.getAttribute?.('role') === 'presentation') return true;
  const pending = [table.firstChild];
  while (pending.length > 0) {
    const node = pending.pop() ?? null;
    if (node === null) continue;
    if (node.nodeType === ELEMENT && LAYOUT.test(node.nodeName.toLowerCase())) return true;
    pending.push(node.nextSibling, node.firstChild);
  }
  return false;
}

function deeper(place: Place, prefix: string): Place {
  if (place.levels >= MAX_LEVELS) return place;
  return { ...place, prefix: place.prefix + prefix, levels: place.levels + 1 };
}
