import type { ToolText } from '../read-tool-text.ts';

/** From so many tools of one word on, a source has a tool for every word that people use. */
const MANY = 60;

/** Words of a tool that says hardly more than its name of one word. */
const MOST_WORDS = 3;

/** Knows the tools that say hardly more of themselves than one word, and counts those of each source. */
export class TerseSources {
  readonly #counts = new Map<string, number>();
  /** The sources of such tools by the tools' numbers. */
  readonly #sources = new Map<number, string>();

  put(slot: number, source: string, { name, description, details }: ToolText): void {
    if (new Set(name).size !== 1 || new Set([...name, ...description, ...details]).size > MOST_WORDS) return;
    this.#sources.set(slot, source);
    this.#counts.set(source, (this.#counts.get(source) ?? 0) + 1);
  }

  remove(slot: number): void {
    const source = this.#sources.get(slot);
    if (source === undefined) return;
    this.#sources.delete(slot);
    const count = (this.#counts.get(source) ?? 0) - 1;
    if (count > 0) this.#counts.set(source, count);
    else this.#counts.delete(source);
  }

  /** Tells whether a tool is one of very many of its source that say hardly more than one word. */
  isOneOfMany(slot: number): boolean {
    const source = this.#sources.get(slot);
    return source !== undefined && (this.#counts.get(source) ?? 0) >= MANY;
  }
}
