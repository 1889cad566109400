import type { Archive } from './archive.ts';
import { attributeOf, childOf, childrenOf, readXml, type XmlElement } from './xml.ts';

/** The role of a paragraph. */
export type ParagraphStyle =
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
export class DocxStyles {
  readonly #styles = new Map<string, Style>();
  /** The numbered levels of each list. */
  readonly #numbered = new Map<string, readonly boolean[]>();
  readonly #counts = new Map<string, number[]>();

  /** Reads styles and lists from their parts. */
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
