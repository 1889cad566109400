import { countTerms } from '../../../../text/read-terms.ts';
import type { Postings } from '../../scoring/posting-block.ts';

/** The numbers of an entry: the index of its chunk, the count of the word in it, and the word's next entry. */
const FIELDS = 3;
/** Entries allocated at a time. */
const PAGE = 1 << 14;
/** Marks the last entry of a word. */
const NONE = 0xffff_ffff;

/**
 * The words of chunks to add or remove. A long document has millions of entries, so they are linked lists in a few
 * large arrays.
 */
export class WordLists {
  /** The index of each word in `#first` and `#last`. */
  readonly #places = new Map<string, number>();
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  readonly #pages: Uint32Array[] = [];
  #entries = 0;
  readonly #numbers: number[] = [];
  readonly #lengths: number[] = [];
  /** The number of words in all chunks. */
  words = 0;

  get chunks(): number {
    return this.#numbers.length;
  }

  /** Adds a chunk, whose number is higher than those before. */
  add(number: number, terms: readonly string[]): void {
    this.words += terms.length;
    const chunk = this.#numbers.push(number) - 1;
    this.#lengths.push(terms.length);
    for (const [term, count] of countTerms(terms)) this.#link(term, this.#write(chunk, count));
  }

  /** Yields the lists in the order of the table's key, with `first` added to the numbers. */
  *from(first: number): Generator<readonly [term: string, list: Postings], void> {
    // This order writes neighbouring pages together.
    for (const term of [...this.#places.keys()].toSorted()) yield [term, this.#read(term, first)];
  }

  /** Writes an entry and returns its index. */
  #write(chunk: number, count: number): number {
    const entry = this.#entries++;
    if (entry % PAGE === 0) this.#pages.push(new Uint32Array(PAGE * FIELDS));
    const page = this.#pageOf(entry);
    const at = (entry % PAGE) * FIELDS;
    page[at] = chunk;
    page[at + 1] = count;
    page[at + 2] = NONE;
    return entry;
  }

  #link(term: string, entry: number): void {
    const place = this.#places.get(term);
    if (place === undefined) {
      this.#places.set(term, this.#first.push(entry) - 1);
      this.#last.push(entry);
      return;
    }
    const last = this.#last[place] ?? 0;
    this.#pageOf(last)[(last % PAGE) * FIELDS + 2] = entry;
    this.#last[place] = entry;
  }

  #read(term: string, first: number): Postings {
    const list: Postings = [];
    for (let entry = this.#first[this.#places.get(term) ?? -1] ?? NONE; entry !== NONE;) {
      const page = this.#pageOf(entry);
      const at = (entry % PAGE) * FIELDS;
      const chunk = page[at] ?? 0;
      list.push((this.#numbers[chunk] ?? 0) + first, page[at + 1] ?? 0, this.#lengths[chunk] ?? 0);
      entry = page[at + 2] ?? NONE;
    }
    return list;
  }

  #pageOf(entry: number): Uint32Array {
    return this.#pages[Math.floor(entry / PAGE)] ?? new Uint32Array();
  }
}
