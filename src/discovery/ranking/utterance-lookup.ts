import type { WordReader } from '../../text/word-reader.ts';

/** Finds tools by their utterances, ignoring the order and forms of words and words that wrap a request. */
export class UtteranceLookup {
  readonly #reader: WordReader;
  readonly #slots = new Map<string, Set<number>>();
  readonly #keys = new Map<number, ReadonlySet<string>>();

  constructor(reader: WordReader) {
    this.#reader = reader;
  }

  put(slot: number, utterances: readonly string[]): void {
    if (utterances.length === 0) return;
    const keys = new Set(utterances.map((text) => this.#toKey(text)));
    keys.delete('');
    this.#keys.set(slot, keys);
    for (const key of keys) {
      const slots = this.#slots.get(key);
      if (slots === undefined) this.#slots.set(key, new Set([slot]));
      else slots.add(slot);
    }
  }

  remove(slot: number): void {
    for (const key of this.#keys.get(slot) ?? []) {
      const slots = this.#slots.get(key);
      slots?.delete(slot);
      if (slots?.size === 0) this.#slots.delete(key);
    }
    this.#keys.delete(slot);
  }

  /** Returns the tools with the query as an utterance. */
  find(query: string): ReadonlySet<number> {
    if (this.#slots.size === 0) return NONE;
    return this.#slots.get(this.#toKey(query)) ?? NONE;
  }

  #toKey(text: string): string {
    const words = this.#reader.readQuery(text);
    const stems = (words.length === 0 ? this.#reader.read(text) : words).map(({ stem }) => stem);
    return [...new Set(stems)].toSorted().join(' ');
  }
}

const NONE: ReadonlySet<number> = new Set();
