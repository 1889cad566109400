import { grow } from '../../vectors/grow.ts';
import type { ToolText } from '../read-tool-text.ts';
import type { WordMeanings } from '../../text/word-meanings.ts';
import type { Field } from './ranking-weights.ts';

/** The weight of a word in a tool's meaning, by field. Parameters and notes say how, not what. */
const FIELDS: readonly (readonly [Field, number])[] = [
  ['name', 1],
  ['description', 1],
  ['examples', 0.5],
  ['tags', 0.5],
  ['category', 0.3],
  ['source', 0.3],
  ['details', 0.3],
  ['parameters', 0.3],
];
/** Words that count: the sums of longer texts all become alike. */
const MOST_WORDS = 60;

/** The meanings of tools, each the sum of its words: a few bytes for each tool, computed when it is added. */
export class MeaningTable {
  readonly #meanings: WordMeanings;
  readonly #sum: Float32Array;
  #vectors: Int8Array;
  #scales = new Float32Array(64);

  constructor(meanings: WordMeanings) {
    this.#meanings = meanings;
    this.#sum = new Float32Array(meanings.size);
    this.#vectors = new Int8Array(64 * meanings.size);
  }

  put(slot: number, text: ToolText): void {
    const sum = this.#sum.fill(0);
    let known = 0;
    for (const [field, weight] of FIELDS) {
      for (const word of text[field]) {
        if (known >= MOST_WORDS) break;
        const row = (word.meaning ??= this.#meanings.find(word.stem));
        if (row < 0) continue;
        this.#meanings.add(row, weight, sum);
        known++;
      }
    }
    this.#store(slot, sum);
  }

  /** Returns the meaning of a query as a vector, or `undefined` if none of its words is known. */
  read(words: readonly { readonly stem: string; readonly weight: number }[]): Float32Array | undefined {
    const sum = new Float32Array(this.#meanings.size);
    for (const { stem, weight } of words) {
      const row = this.#meanings.find(stem);
      if (row >= 0) this.#meanings.add(row, weight, sum);
    }
    const length = lengthOf(sum);
    if (length === 0) return undefined;
    for (let place = 0; place < sum.length; place++) sum[place] = (sum[place] ?? 0) / length;
    return sum;
  }

  /** Returns the similarity of a query and a tool: 0 to 1, and 0 for opposites. */
  compare(query: Float32Array, slot: number): number {
    const vectors = this.#vectors;
    const start = slot * query.length;
    let sum = 0;
    for (let place = 0; place < query.length; place++) sum += (query[place] ?? 0) * (vectors[start + place] ?? 0);
    return Math.max(0, sum * (this.#scales[slot] ?? 0));
  }

  #store(slot: number, sum: Float32Array): void {
    const { size } = this.#meanings;
    if ((slot + 1) * size > this.#vectors.length) {
      this.#vectors = grow(this.#vectors, new Int8Array(this.#vectors.length * 2));
      this.#scales = grow(this.#scales, new Float32Array(this.#scales.length * 2));
    }
    let largest = 0;
    for (let place = 0; place < size; place++) largest = Math.max(largest, Math.abs(sum[place] ?? 0));
    let squares = 0;
    for (let place = 0; place < size; place++) {
      const step = largest === 0 ? 0 : Math.round(((sum[place] ?? 0) / largest) * 127);
      this.#vectors[slot * size + place] = step;
      squares += step * step;
    }
    this.#scales[slot] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  }
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const number of vector) squares += number * number;
  return Math.sqrt(squares);
}
