import { ConvertedText, createFillBudget, type TableCell, TableWriter } from '../converted-text.ts';
import { checkLength } from '../document-refusal.ts';
import type { StructuredText } from '../section.ts';
import { type Archive, openArchive } from './archive.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  findAll,
  findMainPart,
  findPart,
  readRelations,
  readXml,
  type Relation,
  type XmlElement,
} from './xml.ts';

const BODY = new Set(['p', 'tbl']);
/** Elements that are not text of the document: deletions, and alternatives for older programs. */
const LEFT_OUT = new Set(['del', 'moveFrom', 'Fallback', 'rPr', 'pPr', 'instrText', 'delText', 'object']);

/** Reads a Word document: headings, paragraphs, lists and tables; notes below the text they belong to. */
export async function readDocx(bytes: Uint8Array): Promise<StructuredText> {
  const archive = await openArchive(bytes, 'docx');
  const main = await findMainPart(archive, 'word/document.xml');
  const relations = await readRelations(archive, main);
  const partOf = (type: string): string | undefined => findPart(archive, relations, type);
  const styles = await DocxStyles.read(archive, partOf('styles'), partOf('numbering'));
  const writer = new DocxWriter(styles, relations);
  for (const type of ['footnote', 'endnote'] as const) {
    const part = partOf(`${type}s`);
    if (part === undefined) continue;
    for await (const note of readXml(archive, part, { whole: new Set([type]) })) writer.addNote(type, note);
  }
  for await (const element of readXml(archive, main, { whole: BODY })) writer.add(element);
  return writer.text.end('is a document without words');
}

/** The pieces of a paragraph. They are joined once: a growing text would be copied for every link in it. */
interface Words {
  readonly pieces: string[];
  length: number;
  readonly notes: string[];
  /** Paragraphs in boxes beside it. */
  readonly boxes: XmlElement[];
}

class DocxWriter {
  readonly text = new ConvertedText();
  readonly #styles: DocxStyles;
  readonly #relations: ReadonlyMap<string, Relation>;
  readonly #notes = new Map<string, string>();
  readonly #budget = createFillBudget();
  /** 1 below the title of the document. */
  #below = 0;

  constructor(styles: DocxStyles, relations: ReadonlyMap<string, Relation>) {
    this.#styles = styles;
    this.#relations = relations;
  }

  addNote(type: string, note: XmlElement): void {
    const id = attributeOf(note, 'id');
    const words = findAll(note, 'p').map((paragraph) => textOf(this.#wordsOf(paragraph)).trim());
    if (id !== undefined && attributeOf(note, 'type') === undefined) this.#notes.set(`${type} ${id}`, words.join(' '));
  }

  add(element: XmlElement): void {
    if (element.name === 'tbl') this.#table(element);
    else this.#paragraph(element);
  }

  #paragraph(paragraph: XmlElement): void {
    const { notes, boxes, ...all } = this.#wordsOf(paragraph);
    const style = this.#styles.of(paragraph);
    const words = textOf(all).trim();
    switch (style.type) {
      case 'contents':
        return;
      case 'title':
        this.text.heading(1, words);
        if (words !== '') this.#below = 1;
        break;
      case 'heading':
        this.text.heading(style.depth + this.#below, words);
        break;
      case 'item':
        if (words !== '') this.text.markdown(`${'   '.repeat(style.level)}${this.#styles.mark(style)} ${words}`);
        break;
      case 'body':
        this.text.paragraph(words);
    }
    this.#writeNotes(notes);
    for (const box of boxes) this.add(box);
  }

  #table(table: XmlElement): void {
    const rows = findAll(table, 'tr').map((row) => findAll(row, 'tc'));
    const [only] = rows[0] ?? [];
    // A table with one cell is a frame around text.
    if (rows.length === 1 && rows[0]?.length === 1 && only !== undefined) {
      for (const child of only.children) if (typeof child !== 'string' && BODY.has(child.name)) this.add(child);
      return;
    }
    const writer = new TableWriter(this.#budget);
    const notes: string[] = [];
    for (const cells of rows) writer.add(cells.map((cell) => this.#cell(cell, notes)));
    this.text.table(writer);
    this.#writeNotes(notes);
  }

  #cell(cell: XmlElement, notes: string[]): TableCell {
    const properties = childOf(cell, 'tcPr');
    const span = childOf(properties, 'gridSpan');
    const merge = childOf(properties, 'vMerge');
    const texts = findAll(cell, 'p').map((paragraph) => {
      const words = this.#wordsOf(paragraph);
      notes.push(...words.notes);
      return textOf(words);
    });
    return {
      text: texts.join(' '),
      across: Number(span === undefined ? 1 : attributeOf(span, 'val')) || 1,
      isBelow: merge !== undefined && attributeOf(merge, 'val') !== 'restart',
    };
  }

  #writeNotes(notes: readonly string[]): void {
    for (const note of notes) this.text.paragraph(`Note: ${note}`);
  }

  #wordsOf(paragraph: XmlElement): Words {
    const words: Words = { pieces: [], length: 0, notes: [], boxes: [] };
    this.#collect(paragraph, words);
    return words;
  }

  #collect(element: XmlElement, words: Words): void {
    for (const child of element.children) {
      if (typeof child === 'string' || LEFT_OUT.has(child.name)) continue;
      switch (child.name) {
        case 't':
          for (const text of child.children) if (typeof text === 'string') say(words, text);
          break;
        case 'tab':
          say(words, ' ');
          break;
        case 'br':
        case 'cr':
          say(words, '\n');
          break;
        case 'noBreakHyphen':
          say(words, '-');
          break;
        case 'txbxContent':
          words.boxes.push(...child.children.filter((box) => typeof box !== 'string'));
          break;
        case 'footnoteReference':
        case 'endnoteReference': {
          const note = this.#notes.get(`${child.name.slice(0, -9)} ${attributeOf(child, 'id')}`);
          if (note !== undefined && note !== '') words.notes.push(note);
          break;
        }
        case 'hyperlink':
          this.#link(child, words);
          break;
        case 'r':
          if (!isHidden(child)) this.#collect(child, words);
          break;
        default:
          this.#collect(child, words);
      }
    }
  }

  #link(link: XmlElement, words: Words): void {
    const from = words.pieces.length;
    this.#collect(link, words);
    const label = words.pieces.slice(from).join('');
    const target = this.#relations.get(attributeOf(link, 'id') ?? '');
    if (label.trim() === '' || target?.type !== 'hyperlink' || target.target === label) return;
    words.pieces.length = from;
    words.length -= label.length;
    say(words, `[${label}](${target.target})`);
  }
}

function say(words: Words, text: string): void {
  words.length += text.length;
  checkLength(words.length);
  words.pieces.push(text);
}

function textOf({ pieces }: Pick<Words, 'pieces'>): string {
  return pieces.join('');
}

function isHidden(run: XmlElement): boolean {
  const [vanish] = childrenOf(run, 'rPr').flatMap((properties) => childrenOf(properties, 'vanish'));
  return vanish !== undefined && !/^(?:0|false|off)$/.test(attributeOf(vanish, 'val') ?? '');
}

type ParagraphStyle =
  | { readonly type: 'title' | 'contents' | 'body' }
  | { readonly type: 'heading'; readonly depth: number }
  | { readonly type: 'item'; readonly list: string; readonly level: number };

interface Style {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly outline: number | undefined;
  readonly list: string | undefined;
  readonly level: number;
}

const MAX_CHAIN = 20;
const MAX_LEVEL = 8;

/** The styles and lists of a Word document. */
class DocxStyles {
  readonly #styles = new Map<string, Style>();
  /** The numbered levels of each list. */
  readonly #numbered = new Map<string, readonly boolean[]>();
  readonly #counts = new Map<string, number[]>();

  static async read(archive: Archive, styles: string | undefined, numbering: string | undefined): Promise<DocxStyles> {
    const read = new DocxStyles();
    if (styles !== undefined) {
      for await (const style of readXml(archive, styles, { whole: new Set(['style']) })) read.#addStyle(style);
    }
    if (numbering !== undefined) {
      const kinds = new Map<string, boolean[]>();
      for await (const element of readXml(archive, numbering, { whole: new Set(['abstractNum', 'num']) })) {
        if (element.name === 'abstractNum') kinds.set(attributeOf(element, 'abstractNumId') ?? '', levelsOf(element));
        else {
          const kind = kinds.get(valueOf(element, 'abstractNumId') ?? '');
          if (kind !== undefined) read.#numbered.set(attributeOf(element, 'numId') ?? '', kind);
        }
      }
    }
    return read;
  }

  /** Returns the role of a paragraph by its own properties and those of its styles. */
  of(paragraph: XmlElement): ParagraphStyle {
    const properties = childOf(paragraph, 'pPr');
    const own = toStyle('', properties);
    let list = own.list;
    let level = own.level;
    let outline = own.outline;
    let id = valueOf(properties, 'pStyle');
    for (let step = 0; id !== undefined && step < MAX_CHAIN; step++) {
      const style: Style | undefined = this.#styles.get(id);
      const name: string = (style?.name ?? id).toLowerCase().replaceAll(' ', '');
      const heading = /^heading(\d)$/.exec(name)?.[1];
      if (heading !== undefined) return { type: 'heading', depth: Number(heading) };
      if (name === 'title') return { type: 'title' };
      if (/^toc(?:\d|heading)/.test(name)) return { type: 'contents' };
      outline ??= style?.outline;
      if (list === undefined && style?.list !== undefined) ({ list, level } = style);
      id = style?.basedOn;
    }
    if (outline !== undefined && outline < 9) return { type: 'heading', depth: outline + 1 };
    // 0 removes a paragraph from the list of its style.
    return list === undefined || list === '0' ? { type: 'body' } : { type: 'item', list, level };
  }

  /** Returns the bullet or the next number of a list. */
  mark({ list, level }: ParagraphStyle & { type: 'item' }): string {
    if (this.#numbered.get(list)?.[level] !== true) return '-';
    const counts = this.#counts.get(list) ?? [];
    counts.length = level + 1;
    counts[level] = (counts[level] ?? 0) + 1;
    this.#counts.set(list, counts);
    return `${counts[level]}.`;
  }

  #addStyle(style: XmlElement): void {
    const id = attributeOf(style, 'styleId');
    if (id === undefined) return;
    this.#styles.set(id, {
      ...toStyle(valueOf(style, 'name') ?? id, childOf(style, 'pPr')),
      basedOn: valueOf(style, 'basedOn'),
    });
  }
}

function toStyle(name: string, properties: XmlElement | undefined): Style {
  const numbering = childOf(properties, 'numPr');
  const outline = valueOf(properties, 'outlineLvl');
  return {
    name,
    basedOn: undefined,
    outline: outline === undefined ? undefined : toLevel(outline, 9),
    list: valueOf(numbering, 'numId'),
    level: toLevel(valueOf(numbering, 'ilvl'), MAX_LEVEL),
  };
}

function levelsOf(list: XmlElement): boolean[] {
  const levels: boolean[] = [];
  for (const level of childrenOf(list, 'lvl'))
    levels[toLevel(attributeOf(level, 'ilvl'), MAX_LEVEL)] = !/^(?:bullet|none)$/.test(valueOf(level, 'numFmt') ?? '');
  return levels;
}

function toLevel(text: string | undefined, most: number): number {
  return Math.min(most, Math.max(0, Number.parseInt(text ?? '0', 10) || 0));
}

function valueOf(parent: XmlElement | undefined, name: string): string | undefined {
  const child = childOf(parent, name);
  return child === undefined ? undefined : attributeOf(child, 'val');
}
