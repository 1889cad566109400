import { countTerms } from '../../../../text/read-terms.ts';
import type { Postings } from '../../scoring/posting-block.ts';

/** Numbers of one entry: the place of its chunk among those added, how often the word stands there, and the word's next entry. */
const FIELDS = 3;
/** Entries that memory is taken for at a time. */
const PAGE = 1 << 14;
/** The next entry of a word's last one. */
const NONE = 0xffff_ffff;

/**
 * The words of chunks, ready to be added or taken out. A long document has millions of entries: they stand in a few large arrays, each with the place of
 * the next one of its word.
 */
export class WordLists {
  /** The place of each word in `#first` and `#last`. */
  readonly #places = new Map<string, number>();
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  readonly #pages: Uint32Array[] = [];
  #entries = 0;
  readonly #numbers: number[] = [];
  readonly #lengths: number[] = [];
  /** The number of words of all chunks. */
  words = 0;

  /** The number of chunks that were added. */
  get chunks(): number {
    return this.#numbers.length;
  }

  /** Adds a chunk. Its number is above those before. */
  add(number: number, terms: readonly string[]): void {
    this.words += terms.length;
    const chunk = this.#numbers.push(number) - 1;
    this.#lengths.push(terms.length);
    for (const [term, count] of countTerms(terms)) this.#link(term, this.#write(chunk, count));
  }

  /** The lists one after the other, in the order of the table's key, with numbers that are higher by `first`. */
  *from(first: number): Generator<readonly [term: string, list: Postings], void> {
    // In this order neighbouring pages are written together.
    for (const term of [...this.#places.keys()].toSorted()) yield [term, this.#read(term, first)];
  }

  /** Writes an entry, and gives its place. */
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
