import { attributeOf, childrenOf, type XmlElement } from './xml.ts';

const MAX_CHAIN = 20;

/** The styles of an OpenDocument file. */
export class OdfStyles {
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
