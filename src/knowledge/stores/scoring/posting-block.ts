/**
 * The chunks that have a word, in rising order of their numbers: for each its number, how often the word stands in it, and
 * how many words it has. One list of plain numbers, because there are very many of them.
 */
export type Postings = number[];

/** Numbers that each chunk has in a list. */
export const ENTRY = 3;

/** How many chunks a block in the file has at most: small enough that adding one rewrites little. */
export const BLOCK_SIZE = 128;

/** The longest entry: three figures of at most eight bytes. */
const MAX_ENTRY_BYTES = 24;
const scratch = new Uint8Array(BLOCK_SIZE * MAX_ENTRY_BYTES);

/** Writes chunks `from` up to `to` as bytes, each number as its distance from the one before, seven bits a byte. */
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
export interface BlockRange {
  readonly from: number;
  readonly to: number;
  readonly base: number;
}

/** Reads a block that begins with the number `first` to the end of a list. */
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
