import { attributeOf, childrenOf, type XmlElement } from './xml.ts';

const MAX_CHAIN = 20;

/** What the styles of an OpenDocument file say of its parts. */
export class OdfStyles {
  readonly #parents = new Map<string, string>();
  readonly #hidden = new Set<string>();
  /** For each list, which of its levels are numbered. */
  readonly #numbered = new Map<string, ReadonlySet<number>>();

  /** Takes a `style` or a `list-style`. */
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
      // One without a format shows no number.
      .filter((level) => attributeOf(level, 'num-format') !== '')
      .map((level) => Number(attributeOf(level, 'level')) - 1);
    if (levels.length > 0) this.#numbered.set(name, new Set(levels));
  }

  /** Whether it is the title of the whole document. */
  isTitle(name: string | undefined): boolean {
    let style = name;
    for (let step = 0; style !== undefined && step < MAX_CHAIN; step++) {
      if (style === 'Title') return true;
      style = this.#parents.get(style);
    }
    return false;
  }

  /** Whether sheets or slides of this style are not shown. */
  isHidden(name: string | undefined): boolean {
    return name !== undefined && this.#hidden.has(name);
  }

  /** Whether a level of a list has numbers, not bullets. */
  isNumbered(name: string | undefined, level: number): boolean {
    return name !== undefined && this.#numbered.get(name)?.has(level) === true;
  }
}
