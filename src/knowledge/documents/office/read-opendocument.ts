import { runInTurns } from '../../../tool/run-in-turns.ts';
import { ConvertedText, createFillBudget, TableWriter } from '../converted-text.ts';
import type { StructuredText } from '../section.ts';
import { openArchive } from './archive.ts';
import { SheetCollector } from './sheet.ts';
import { attributeOf, childrenOf, findAll, readXml, type XmlElement } from './xml.ts';

/** The kind of an OpenDocument file: a text, a workbook or a presentation. */
type OdfKind = 'odt' | 'ods' | 'odp';

const CONTENT = 'content.xml';
/** Elements that are read as a whole to skip their content: deletions, tables of contents and the like. */
const LEFT_OUT = ['tracked-changes', 'table-of-content', 'alphabetical-index', 'forms'];
const CHOICES: Readonly<Record<OdfKind, ReadonlySet<string>>> = {
  odt: new Set([...LEFT_OUT, 'style', 'list-style', 'h', 'p', 'list', 'table']),
  ods: new Set([...LEFT_OUT, 'style', 'table-row', 'shapes', 'dde-links']),
  odp: new Set([...LEFT_OUT, 'style', 'list-style', 'page']),
};

/** Reads an OpenDocument file. Skips hidden sheets and slides, comments, and deletions. */
export async function readOpenDocument(bytes: Uint8Array, kind: OdfKind): Promise<StructuredText> {
  const archive = await openArchive(bytes, kind);
  const styles = new OdfStyles();
  if (archive.has('styles.xml')) {
    for await (const style of readXml(archive, 'styles.xml', { whole: new Set(['style', 'list-style']) }))
      styles.add(style);
  }
  const choice = { whole: CHOICES[kind], starts: new Set(kind === 'ods' ? ['table'] : []) };
  const text = new ConvertedText();
  const writer = new OdfWriter(text, styles);
  const sheets = new OdfSheets(text, styles);
  let slide = 0;
  for await (const element of readXml(archive, CONTENT, choice)) {
    if (element.name === 'style' || element.name === 'list-style') styles.add(element);
    else if (kind === 'ods') await sheets.add(element);
    else if (element.name === 'page') writer.slide(element, ++slide);
    else writer.block(element);
  }
  await sheets.end();
  return text.end('is a document without words');
}

class OdfSheets {
  readonly #collector: SheetCollector;
  readonly #styles: OdfStyles;
  #name: string | undefined;
  #row = 1;

  constructor(text: ConvertedText, styles: OdfStyles) {
    this.#collector = new SheetCollector(text, createFillBudget());
    this.#styles = styles;
  }

  async add(element: XmlElement): Promise<void> {
    if (element.name === 'table') {
      await this.end();
      const isHidden = this.#styles.isHidden(attributeOf(element, 'style-name'));
      this.#name = isHidden ? undefined : (attributeOf(element, 'name') ?? '');
      this.#row = 1;
    } else if (element.name === 'table-row') this.#addRow(element);
  }

  async end(): Promise<void> {
    if (this.#name !== undefined) await runInTurns(this.#collector.end(this.#name));
    this.#name = undefined;
  }

  #addRow(row: XmlElement): void {
    const rows = repeats(row, 'number-rows-repeated');
    let column = 1;
    for (const cell of row.children) {
      if (typeof cell === 'string') continue;
      const columns = repeats(cell, 'number-columns-repeated');
      const text = this.#name === undefined || cell.name !== 'table-cell' ? '' : cellText(cell);
      if (text !== '') this.#addCell(cell, { text, column, columns, rows });
      column += columns;
    }
    this.#row += rows;
  }

  #addCell(cell: XmlElement, place: { text: string; column: number; columns: number; rows: number }): void {
    // A cell repeated without end is a background.
    const [columns, rows] = [Math.min(place.columns, MAX_REPEATED), Math.min(place.rows, MAX_REPEATED)];
    for (let down = 0; down < rows; down++)
      for (let across = 0; across < columns; across++)
        this.#collector.add(this.#row + down, place.column + across, place.text);
    this.#collector.merge(this.#row, place.column, repeats(cell, 'number-rows-spanned'));
  }
}

const MAX_REPEATED = 100;

function repeats(element: XmlElement, name: string): number {
  return Math.max(1, Number(attributeOf(element, name)) || 1);
}

function cellText(cell: XmlElement): string {
  const date = attributeOf(cell, 'date-value');
  if (date !== undefined) return date.replace(/T00:00:00(?:\.0+)?$/, '');
  return childrenOf(cell, 'p')
    .map((paragraph) => wordsOf(paragraph, []))
    .join(' ')
    .trim();
}

class OdfWriter {
  readonly #text: ConvertedText;
  readonly #styles: OdfStyles;
  readonly #budget = createFillBudget();
  #below = 0;

  constructor(text: ConvertedText, styles: OdfStyles) {
    this.#text = text;
    this.#styles = styles;
  }

  block(element: XmlElement): void {
    const notes: string[] = [];
    switch (element.name) {
      case 'h':
        this.#text.heading(Number(attributeOf(element, 'outline-level') ?? 1) + this.#below, wordsOf(element, notes));
        break;
      case 'p': {
        const words = wordsOf(element, notes).trim();
        const isTitle = this.#styles.isTitle(attributeOf(element, 'style-name'));
        if (isTitle && words !== '') {
          this.#text.heading(1, words);
          this.#below = 1;
        } else this.#text.paragraph(words);
        // Frames in the paragraph.
        for (const box of findAll(element, 'text-box')) this.#blocks(box);
        break;
      }
      case 'list':
        this.#text.markdown(this.#list(element, { level: 0, name: undefined }, notes).join('\n'));
        break;
      case 'table':
        this.#table(element, notes);
        break;
      case 'section':
      case 'text-box':
        this.#blocks(element);
    }
    for (const note of notes) this.#text.paragraph(`Note: ${note}`);
  }

  slide(page: XmlElement, number: number): void {
    if (this.#styles.isHidden(attributeOf(page, 'style-name'))) return;
    const frames = findAll({ ...page, children: page.children.filter((child) => !isNamed(child, 'notes')) }, 'frame');
    const title = frames.find((frame) => attributeOf(frame, 'class') === 'title');
    const words = title === undefined ? '' : linesOf(title).join(' ');
    const said = childrenOf(page, 'notes')
      .flatMap((notes) => findAll(notes, 'frame'))
      .filter((frame) => attributeOf(frame, 'class') === 'notes')
      .flatMap(linesOf);
    if (frames.every((frame) => linesOf(frame).length === 0) && said.length === 0) return;
    this.#text.mark(number);
    this.#text.heading(1, words === '' ? `Slide ${number}` : words);
    for (const frame of frames) if (frame !== title) this.#blocks(frame);
    if (said.length > 0) this.#text.paragraph(`Notes: ${said.join('\n')}`);
  }

  #blocks(element: XmlElement): void {
    for (const child of element.children) if (typeof child !== 'string') this.block(child);
  }

  #list(list: XmlElement, { level, name }: { level: number; name: string | undefined }, notes: string[]): string[] {
    const style = attributeOf(list, 'style-name') ?? name;
    const lines: string[] = [];
    let count = 0;
    for (const item of list.children) {
      if (typeof item === 'string' || (item.name !== 'list-item' && item.name !== 'list-header')) continue;
      count++;
      const mark = this.#styles.isNumbered(style, level) ? `${count}.` : '-';
      for (const child of item.children) {
        if (typeof child === 'string') continue;
        if (child.name === 'list') lines.push(...this.#list(child, { level: level + 1, name: style }, notes));
        else {
          const words = wordsOf(child, notes).replaceAll(/\s+/g, ' ').trim();
          if (words !== '') lines.push(`${'   '.repeat(Math.min(level, 8))}${mark} ${words}`);
        }
      }
    }
    return lines;
  }

  #table(table: XmlElement, notes: string[]): void {
    const writer = new TableWriter(this.#budget);
    for (const row of findAll(table, 'table-row')) {
      writer.add(
        childrenOf(row, 'table-cell').map((cell) => ({
          text: findAll(cell, 'p')
            .map((line) => wordsOf(line, notes))
            .join(' '),
          across: repeats(cell, 'number-columns-spanned'),
          down: repeats(cell, 'number-rows-spanned'),
        })),
      );
    }
    this.#text.table(writer);
  }
}

/** Returns the paragraphs of a frame that have words. */
function linesOf(frame: XmlElement): string[] {
  return findAll(frame, 'p')
    .map((line) => wordsOf(line, []).trim())
    .filter((line) => line !== '');
}

function isNamed(child: XmlElement | string, name: string): boolean {
  return typeof child !== 'string' && child.name === name;
}

/** Returns the words of a paragraph; appends its notes to a list. */
function wordsOf(element: XmlElement, notes: string[]): string {
  return element.children.map((child) => (typeof child === 'string' ? child : wordsIn(child, notes))).join('');
}

function wordsIn(element: XmlElement, notes: string[]): string {
  switch (element.name) {
    case 's':
    case 'tab':
      return ' ';
    case 'line-break':
      return '\n';
    case 'annotation':
    case 'text-box':
      return '';
    case 'note': {
      const words = findAll(element, 'p')
        .map((line) => wordsOf(line, []))
        .join(' ')
        .trim();
      if (words !== '') notes.push(words);
      return '';
    }
    case 'a': {
      const label = wordsOf(element, notes);
      const address = attributeOf(element, 'href') ?? '';
      return label.trim() === '' || !/^\w+:/.test(address) || address === label ? label : `[${label}](${address})`;
    }
    default:
      return wordsOf(element, notes);
  }
}

const MAX_CHAIN = 20;

/** The styles of an OpenDocument file. */
class OdfStyles {
  readonly #parents = new Map<string, string>();
  readonly #hidden = new Set<string>();
  /** The numbered levels of each list. */
  readonly #numbered = new Map<string, ReadonlySet<number>>();

  /** Adds a `style` or a `list-style`. */
  add(style: XmlElement): void {
    const name = attributeOf(style, 'name');
    if (name === undefined) return;
    const parent = attributeOf(style, 'parent-style-name');
    if (parent !== undefined) this.#parents.set(name, parent);
    for (const child of style.children) {
      if (typeof child === 'string') continue;
      if (attributeOf(child, 'display') === 'false' || attributeOf(child, 'visibility') === 'hidden')
        this.#hidden.add(name);
    }
    const levels = childrenOf(style, 'list-level-style-number')
      // A level without a format shows no number.
      .filter((level) => attributeOf(level, 'num-format') !== '')
      .map((level) => Number(attributeOf(level, 'level')) - 1);
    if (levels.length > 0) this.#numbered.set(name, new Set(levels));
  }

  /** Returns true for the title of the whole document. */
  isTitle(name: string | undefined): boolean {
    let style = name;
    for (let step = 0; style !== undefined && step < MAX_CHAIN; step++) {
      if (style === 'Title') return true;
      style = this.#parents.get(style);
    }
    return false;
  }

  /** Returns true if sheets or slides of this style are hidden. */
  isHidden(name: string | undefined): boolean {
    return name !== undefined && this.#hidden.has(name);
  }

  /** Returns true if a level of a list has numbers, not bullets. */
  isNumbered(name: string | undefined, level: number): boolean {
    return name !== undefined && this.#numbered.get(name)?.has(level) === true;
  }
}
