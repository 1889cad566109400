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

/** The words of chunks to add or remove. */
export class ChunkWords {
  readonly lists = new Map<string, Postings>();
  chunks = 0;
  /** Counted with repeats, over all chunks. */
  words = 0;

  /** Adds a chunk, whose number is higher than those before. */
  add(number: number, terms: readonly string[]): void {
    this.chunks++;
    this.words += terms.length;
    for (const [term, count] of countTerms(terms)) {
      const list = this.lists.get(term);
      if (list === undefined) this.lists.set(term, [number, count, terms.length]);
      else list.push(number, count, terms.length);
    }
  }
}
