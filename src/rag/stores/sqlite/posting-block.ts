/** The chunks that have a word, in rising order of their numbers: three columns of equal length. */
export interface Postings {
  readonly numbers: number[];
  /** How often the word stands in the chunk. */
  readonly counts: number[];
  /** How many words the chunk has. */
  readonly lengths: number[];
}

/** An empty list. */
export function createPostings(): Postings {
  return { numbers: [], counts: [], lengths: [] };
}

/** How many entries a block in the file has at most: small enough that adding one rewrites little. */
export const BLOCK_SIZE = 128;

/** Writes entries `from` up to `to` as a block: differences and figures in seven bits a byte. */
export function encodeBlock({ numbers, counts, lengths }: Postings, from: number, to: number): Uint8Array {
  const bytes: number[] = [];
  let last = numbers[from] ?? 0;
  for (let place = from; place < to; place++) {
    const number = numbers[place] ?? 0;
    push(bytes, number - last);
    push(bytes, counts[place] ?? 0);
    push(bytes, lengths[place] ?? 0);
    last = number;
  }
  return Uint8Array.from(bytes);
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
    into.numbers.push(number);
    into.counts.push(read());
    into.lengths.push(read());
  }
}

function push(bytes: number[], value: number): void {
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
