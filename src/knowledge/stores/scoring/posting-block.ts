import { countTerms } from '../../../text/read-terms.ts';

/**
 * The chunks that contain a word, ordered by number: for each its number, the count of the word, and the length of the
 * chunk in words. One flat list, because there are very many entries.
 */
export type Postings = number[];

/** Numbers in one entry of a list. */
export const ENTRY = 3;

/** The most chunks in one block: small enough that adding one rewrites little. */
export const BLOCK_SIZE = 128;

/** The longest entry: three numbers of at most eight bytes. */
const MAX_ENTRY_BYTES = 24;
const scratch = new Uint8Array(BLOCK_SIZE * MAX_ENTRY_BYTES);

/** Encodes entries `from` up to `to`: numbers as differences, seven bits in each byte. */
export function encodeBlock(list: Postings, { from, to, base }: BlockRange): Uint8Array {
  let size = 0;
  let last = base;
  const push = (value: number): void => {
    let rest = value;
    while (rest > 0x7f) {
      scratch[size++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    scratch[size++] = rest;
  };
  for (let place = from * ENTRY; place < to * ENTRY; place += ENTRY) {
    const number = list[place] ?? 0;
    push(number - last);
    push(list[place + 1] ?? 0);
    push(list[place + 2] ?? 0);
    last = number;
  }
  return scratch.slice(0, size);
}

/** A part of a list, and the number before it. */
interface BlockRange {
  readonly from: number;
  readonly to: number;
  readonly base: number;
}

/** Decodes a block that starts with the number `first`, and appends its entries to a list. */
export function decodeBlock(block: Uint8Array, first: number, into: Postings): void {
  let number = first;
  let at = 0;
  const read = (): number => {
    let byte = block[at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let factor = 128; byte > 0x7f; factor *= 128) {
      byte = block[at++] ?? 0;
      value += (byte & 0x7f) * factor;
    }
    return value;
  };
  while (at < block.length) {
    number += read();
    into.push(number, read(), read());
  }
}

/** A block as stored: its first and last number, the number of its entries, and its bytes. */
export interface PostingBlock {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly block: Uint8Array;
}

/** Splits the entries of a list, beginning at `from`, into blocks. */
export function toBlocks(list: Postings, from = 0): PostingBlock[] {
  const blocks: PostingBlock[] = [];
  const size = list.length / ENTRY;
  for (let start = from; start < size; start += BLOCK_SIZE) {
    const to = Math.min(size, start + BLOCK_SIZE);
    const [first = 0, last = 0] = [list[start * ENTRY], list[(to - 1) * ENTRY]];
    blocks.push({ first, last, count: to - start, block: encodeBlock(list, { from: start, to, base: first }) });
  }
  return blocks;
}

/** The numbers of an entry: the index of its chunk, the count of the word in it, and the word's next entry. */
const ENTRY_FIELDS = 3;
/** Entries allocated at a time. */
const PAGE = 1 << 14;
/** Marks the last entry of a word. */
const NONE = 0xffff_ffff;

/**
 * The words of chunks to add or remove. A long document has millions of entries, so they are linked lists in a few
 * large arrays: for a text of 6 MB, a list for each word would take 40 MB more.
 */
export class ChunkWords {
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
  *from(first = 0): Generator<readonly [term: string, list: Postings], void> {
    // This order writes neighbouring pages together.
    for (const term of [...this.#places.keys()].toSorted()) yield [term, this.#read(term, first)];
  }

  /** Writes an entry and returns its index. */
  #write(chunk: number, count: number): number {
    const entry = this.#entries++;
    if (entry % PAGE === 0) this.#pages.push(new Uint32Array(PAGE * ENTRY_FIELDS));
    const page = this.#pageOf(entry);
    const at = (entry % PAGE) * ENTRY_FIELDS;
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
    this.#pageOf(last)[(last % PAGE) * ENTRY_FIELDS + 2] = entry;
    this.#last[place] = entry;
  }

  #read(term: string, first: number): Postings {
    const list: Postings = [];
    for (let entry = this.#first[this.#places.get(term) ?? -1] ?? NONE; entry !== NONE;) {
      const page = this.#pageOf(entry);
      const at = (entry % PAGE) * ENTRY_FIELDS;
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
