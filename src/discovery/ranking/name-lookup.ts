import type { WordReader } from '../../text/word-reader.ts';

const MOST_TOKENS = 64;
const LONGEST_TOKEN = 160;

/** Finds tools by name, ignoring case and separators. */
export class NameLookup {
  /** A number for most names, a list for names that differ only in case. */
  readonly #slots = new Map<string, number | readonly number[]>();
  readonly #nameOf: (slot: number) => string | undefined;

  constructor(nameOf: (slot: number) => string | undefined) {
    this.#nameOf = nameOf;
  }

  add(name: string, slot: number): void {
    const key = foldName(name);
    const same = this.#slotsOf(key);
    this.#slots.set(key, same.length === 0 ? slot : [...same, slot]);
  }

  remove(name: string, slot: number): void {
    const key = foldName(name);
    const rest = this.#slotsOf(key).filter((other) => other !== slot);
    if (rest.length === 0) this.#slots.delete(key);
    else this.#slots.set(key, rest);
  }

  /** Finds the tools that a query names: it is the name, or a token that looks like one is. Exact matches come first. */
  find(query: string): number[] {
    const found = new Set(this.#get(query.trim()));
    for (const token of query.split(/\s+/, MOST_TOKENS)) {
      if (token.length > LONGEST_TOKEN) continue;
      const name = token.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
      if (/[_.-]|\p{Ll}\p{Lu}/u.test(name)) for (const slot of this.#get(name)) found.add(slot);
    }
    return [...found];
  }

  #get(name: string): number[] {
    const isSame = (slot: number): number => Number(this.#nameOf(slot) === name);
    return this.#slotsOf(foldName(name)).toSorted((a, b) => isSame(b) - isSame(a));
  }

  #slotsOf(key: string): readonly number[] {
    const same = this.#slots.get(key) ?? [];
    return typeof same === 'number' ? [same] : same;
  }
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}

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
