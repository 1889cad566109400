import { ConvertedText, createFillBudget, type FillBudget, TableWriter } from '../converted-text.ts';
import type { StructuredText } from '../section.ts';
import { type Archive, openArchive } from './archive.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  findAll,
  findMainPart,
  readRelations,
  readXmlRoot,
  textOf,
  type XmlElement,
} from './xml.ts';

/** Placeholders that every slide repeats. */
const REPEATED = /^(?:sldNum|dt|ftr|hdr|sldImg)$/;
const TITLE = /^(?:title|ctrTitle)$/;

/** Reads PowerPoint slides in their order, each under its title, with its notes. Skips hidden ones. */
export async function readPptx(bytes: Uint8Array): Promise<StructuredText> {
  const archive = await openArchive(bytes, 'pptx');
  const main = await findMainPart(archive, 'ppt/presentation.xml');
  const relations = await readRelations(archive, main);
  const presentation = await readXmlRoot(archive, main, 'presentation');
  const writer = new SlideWriter();
  let number = 0;
  for (const slide of findAll(presentation, 'sldId')) {
    number++;
    const part = relations.get(slide.attributes['r:id'] ?? '')?.target;
    if (part !== undefined && archive.has(part)) await writer.add(archive, part, number);
  }
  return writer.text.end('is a presentation without words');
}

class SlideWriter {
  readonly text = new ConvertedText();
  readonly #budget: FillBudget = createFillBudget();

  async add(archive: Archive, part: string, number: number): Promise<void> {
    const slide = await readXmlRoot(archive, part, 'sld');
    if (/^(?:0|false)$/.test(slide.attributes['show'] ?? '')) return;
    const tree = findAll(slide, 'spTree')[0];
    const shapes = tree === undefined ? [] : shapesOf(tree);
    const title = shapes.find((shape) => TITLE.test(placeholderOf(shape) ?? ''));
    const words = title === undefined ? '' : linesOf(title).map(textOfLine).join(' ').trim();
    const notes = await readNotes(archive, part);
    if (
      notes === '' &&
      shapes.every((shape) => isRepeated(shape) || findAll(shape, 't').every((run) => textOf(run).trim() === ''))
    )
      return;
    this.text.mark(number);
    this.text.heading(1, words === '' ? `Slide ${number}` : words);
    for (const shape of shapes) if (shape !== title) this.#shape(shape);
    if (notes !== '') this.text.paragraph(`Notes: ${notes}`);
  }

  #shape(shape: XmlElement): void {
    if (shape.name === 'graphicFrame') {
      for (const table of findAll(shape, 'tbl')) this.#table(table);
      return;
    }
    const placeholder = placeholderOf(shape);
    if (isRepeated(shape)) return;
    const isList = placeholder === '' || placeholder === 'body' || placeholder === 'obj';
    const items: string[] = [];
    const counts: number[] = [];
    for (const line of linesOf(shape)) {
      const words = textOfLine(line).trim();
      const properties = childOf(line, 'pPr');
      const isItem = isList ? childOf(properties, 'buNone') === undefined : hasBullet(properties);
      if (words === '') continue;
      if (isItem) {
        const level = levelOf(properties);
        const isNumbered = childOf(properties, 'buAutoNum') !== undefined;
        // Deeper levels start again.
        counts.length = level + 1;
        counts[level] = isNumbered ? (counts[level] ?? 0) + 1 : 0;
        items.push(`${'   '.repeat(level)}${isNumbered ? `${counts[level]}.` : '-'} ${words.replaceAll('\n', ' ')}`);
      } else {
        this.text.markdown(items.splice(0).join('\n'));
        this.text.paragraph(words);
      }
    }
    this.text.markdown(items.join('\n'));
  }

  #table(table: XmlElement): void {
    const writer = new TableWriter(this.#budget);
    for (const row of childrenOf(table, 'tr')) {
      const cells = childrenOf(row, 'tc').filter(
        (cell) => cell.attributes['hMerge'] === undefined && cell.attributes['vMerge'] === undefined,
      );
      writer.add(
        cells.map((cell) => ({
          text: findAll(cell, 'p').map(textOfLine).join(' '),
          across: Number(cell.attributes['gridSpan']) || 1,
          down: Number(cell.attributes['rowSpan']) || 1,
        })),
      );
    }
    this.text.table(writer);
  }
}

async function readNotes(archive: Archive, slide: string): Promise<string> {
  const relation = [...(await readRelations(archive, slide)).values()].find(({ type }) => type === 'notesSlide');
  if (relation === undefined || !archive.has(relation.target)) return '';
  const notes = await readXmlRoot(archive, relation.target, 'notes');
  const said = findAll(notes, 'sp').filter((shape) => !isRepeated(shape));
  return said
    .flatMap(linesOf)
    .map(textOfLine)
    .filter((line) => line.trim() !== '')
    .join('\n');
}

function isRepeated(shape: XmlElement): boolean {
  return REPEATED.test(placeholderOf(shape) ?? '');
}

/** Returns shapes and frames in order, including those in groups. */
function shapesOf(tree: XmlElement): XmlElement[] {
  return tree.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    if (child.name === 'sp' || child.name === 'graphicFrame') return [child];
    return child.name === 'grpSp' || child.name === 'AlternateContent' || child.name === 'Choice'
      ? shapesOf(child)
      : [];
  });
}

/** Returns the kind of a placeholder, empty if it has none, or `undefined` for other shapes. */
function placeholderOf(shape: XmlElement): string | undefined {
  const [placeholder] = findAll(childOf(shape, 'nvSpPr') ?? EMPTY, 'ph');
  return placeholder === undefined ? undefined : (attributeOf(placeholder, 'type') ?? '');
}

const EMPTY: XmlElement = { name: '', attributes: {}, children: [] };

function linesOf(shape: XmlElement): XmlElement[] {
  return childrenOf(childOf(shape, 'txBody') ?? EMPTY, 'p');
}

function textOfLine(line: XmlElement): string {
  return line.children
    .map((child) => {
      if (typeof child === 'string') return '';
      if (child.name === 'br') return '\n';
      return child.name === 'r' || child.name === 'fld' ? textOf(childOf(child, 't')) : '';
    })
    .join('');
}

function hasBullet(properties: XmlElement | undefined): boolean {
  return childOf(properties, 'buChar') !== undefined || childOf(properties, 'buAutoNum') !== undefined;
}

function levelOf(properties: XmlElement | undefined): number {
  return Math.min(8, Math.max(0, Number(properties?.attributes['lvl']) || 0));
}
