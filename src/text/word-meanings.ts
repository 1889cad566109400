import { dirname, join } from 'node:path';

const MAGIC = 0x44574750;
const HEADER = 16;
const NONE = 0xffff;

/** A word with nearly the same meaning as another. */
export interface RelatedWord {
  readonly stem: string;
  /** Similarity of the two words, from 0 to 1. */
  readonly likeness: number;
}

/**
 * The meanings of common English and technical words: a short vector for each stem, and the stems nearest to it.
 *
 * `scripts/make-word-meanings.ts` writes the bytes and documents their origin. They are used as they are, without
 * unpacking, so opening them takes no time.
 */
export class WordMeanings {
  /** The number of dimensions of a meaning. */
  readonly size: number;
  readonly #count: number;
  readonly #neighbours: number;
  readonly #scales: Float32Array;
  readonly #keyStarts: Uint32Array;
  readonly #nearest: Uint16Array;
  readonly #likeness: Uint8Array;
  /** Two numbers in each byte, both stored with 8 added. */
  readonly #vectors: Uint8Array;
  readonly #keys: Uint8Array;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER / 4);
    const [magic = 0, count = 0, size = 0, neighbours = 0] = header;
    if (magic !== MAGIC)
      throw new TypeError('These are not word meanings: make them with scripts/make-word-meanings.ts.');
    let place = bytes.byteOffset + HEADER;
    const take = (length: number): number => (place += length) - length;
    this.#count = count;
    this.size = size;
    this.#neighbours = neighbours;
    this.#scales = new Float32Array(bytes.buffer, take(4 * count), count);
    this.#keyStarts = new Uint32Array(bytes.buffer, take(4 * (count + 1)), count + 1);
    this.#nearest = new Uint16Array(bytes.buffer, take(2 * count * neighbours), count * neighbours);
    this.#likeness = new Uint8Array(bytes.buffer, take(count * neighbours), count * neighbours);
    this.#vectors = new Uint8Array(bytes.buffer, take((count * size) / 2), (count * size) / 2);
    this.#keys = new Uint8Array(bytes.buffer, place, bytes.byteOffset + bytes.length - place);
  }

  /** Adds the meaning of a stem, times `weight`, to a sum. Common words have shorter vectors. */
  add(row: number, weight: number, sum: Float32Array): void {
    const vectors = this.#vectors;
    const factor = weight * (this.#scales[row] ?? 0);
    let at = (row * this.size) / 2;
    for (let place = 0; place + 1 < sum.length; place += 2) {
      const two = vectors[at++] ?? 0;
      sum[place] = (sum[place] ?? 0) + factor * ((two & 15) - 8);
      sum[place + 1] = (sum[place + 1] ?? 0) + factor * ((two >> 4) - 8);
    }
  }

  /** Returns the stems nearest to one, nearest first. */
  relatedTo(row: number): RelatedWord[] {
    const related: RelatedWord[] = [];
    for (let place = row * this.#neighbours; place < (row + 1) * this.#neighbours; place++) {
      const other = this.#nearest[place] ?? NONE;
      if (other === NONE) break;
      related.push({ stem: this.#stemAt(other), likeness: (this.#likeness[place] ?? 0) / 255 });
    }
    return related;
  }

  /** Returns the row of a stem, or -1 if its meaning is not known. */
  find(stem: string): number {
    let [low, high] = [0, this.#count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = this.#compare(stem, middle);
      if (order === 0) return middle;
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return -1;
  }

  #compare(stem: string, row: number): number {
    const start = this.#keyStarts[row] ?? 0;
    const length = (this.#keyStarts[row + 1] ?? 0) - start;
    for (let place = 0; place < length && place < stem.length; place++) {
      const difference = stem.charCodeAt(place) - (this.#keys[start + place] ?? 0);
      if (difference !== 0) return difference;
    }
    return stem.length - length;
  }

  #stemAt(row: number): string {
    return String.fromCharCode(...this.#keys.subarray(this.#keyStarts[row], this.#keyStarts[row + 1]));
  }
}

const FILE = 'word-meanings.bin';
/** The file is next to this one in the sources, and above the chunk that contains it in a build. */
const FOLDERS_UP = 2;

let loaded: WordMeanings | null | undefined;

/** Returns the meanings of words, loaded on first use, or `undefined` if the package was bundled without the file. */
export function loadWordMeanings(): WordMeanings | undefined {
  if (loaded === undefined) {
    const path = findFile();
    loaded = path === undefined ? null : open(files().readFileSync(path));
  }
  return loaded ?? undefined;
}

/** Works like `loadWordMeanings` without blocking. */
export async function fetchWordMeanings(): Promise<WordMeanings | undefined> {
  const path = loaded === undefined ? findFile() : undefined;
  const bytes = path === undefined ? undefined : await files().promises.readFile(path);
  if (bytes !== undefined) loaded ??= open(bytes);
  return loadWordMeanings();
}

/** Loads `node:fs` on first use, because importing it loads all of its parts. */
function files(): typeof import('node:fs') {
  return process.getBuiltinModule('node:fs');
}

function open(bytes: Buffer): WordMeanings {
  // Typed arrays must be aligned, which the memory that buffers share does not guarantee.
  return new WordMeanings(new Uint8Array(bytes));
}

function findFile(): string | undefined {
  let folder = import.meta.dirname;
  for (let up = 0; up <= FOLDERS_UP; up++, folder = dirname(folder)) {
    if (files().existsSync(join(folder, FILE))) return join(folder, FILE);
  }
  return undefined;
}
