import { ConvertedText } from '../converted-text.ts';
import { checkLength } from '../document-refusal.ts';
import { createFillBudget, type TableCell, TableWriter } from '../markdown-table.ts';
import type { StructuredText } from '../section.ts';
import { openArchive } from './archive.ts';
import { DocxStyles } from './docx-styles.ts';
import { findPart, findMainPart, readRelations, type Relation } from './relations.ts';
import { attributeOf, childOf, childrenOf, findAll, readXml, type XmlElement } from './xml.ts';

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
