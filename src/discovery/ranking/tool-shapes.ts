import type { ToolText } from '../read-tool-text.ts';
import { type CellPool, placeOf } from './cell-pool.ts';
import type { TermImpacts, TermIndex } from './term-index.ts';
import { grow } from '../../vectors/grow.ts';
import { FIELDS, type RankingWeights, SHARED_FIELDS } from './ranking-weights.ts';

const LONGEST_SEQUENCE = 160;
/** Separates the fields. */
const BORDER = -1;
/** Cells before the words: the ends of the name, of the front and of everything. */
const HEADER = 3;

/** The data for the second scoring of a candidate: numbers of words, and the start of each field in `words`. */
export interface ToolShape {
  readonly words: Int32Array;
  /** The distinct words of its name. */
  readonly name: number;
  /** Name and description in order, separated by -1. */
  readonly front: number;
  /** The rest of the description. */
  readonly details: number;
  readonly end: number;
}

/** The shapes of all tools by number. They are valid as long as the tool is indexed. */
export class ToolShapes {
  readonly #index: TermIndex;
  readonly #pool: CellPool;
  readonly #addresses: (number | undefined)[] = [];

  constructor(index: TermIndex, pool: CellPool) {
    this.#index = index;
    this.#pool = pool;
  }

  /** Adds the shape of a tool that was just added to the index. */
  put(slot: number, { name, description, details }: ToolText): void {
    const index = this.#index;
    const different = new Set(name.map((word) => index.number(word)));
    const count = different.size + Math.min(LONGEST_SEQUENCE, name.length + description.length + details.length + 2);
    const address = this.#pool.take(HEADER + count);
    const { whole } = this.#pool.pageOf(address);
    const start = placeOf(address);
    const end = start + HEADER + count;
    let place = start + HEADER;
    const write = (term: number): void => {
      if (place < end) whole[place++] = term;
    };
    for (const term of different) write(term);
    for (const word of name) write(index.number(word));
    write(BORDER);
    for (const word of description) write(index.number(word));
    write(BORDER);
    whole[start] = different.size;
    whole[start + 1] = place - start - HEADER;
    whole[start + 2] = count;
    for (const word of details) write(index.number(word));
    this.#addresses[slot] = address;
  }

  remove(slot: number): void {
    const address = this.#addresses[slot];
    if (address === undefined) return;
    this.#addresses[slot] = undefined;
    this.#pool.give(address, HEADER + (this.#pool.pageOf(address).whole[placeOf(address) + 2] ?? 0));
  }

  read(slot: number): ToolShape | undefined {
    const address = this.#addresses[slot];
    if (address === undefined) return undefined;
    const { whole } = this.#pool.pageOf(address);
    const start = placeOf(address);
    const name = start + HEADER;
    return {
      words: whole,
      name,
      front: name + (whole[start] ?? 0),
      details: name + (whole[start + 1] ?? 0),
      end: name + (whole[start + 2] ?? 0),
    };
  }
}

/** Weighs the words of tools: BM25 over all fields together, so that a word in every field does not count many times. */
export class TermWeigher {
  readonly #index: TermIndex;
  readonly #weights: RankingWeights;
  /** One sum for each word of the board, 0 between tools: a map for each tool would create much garbage. */
  #sums = new Float32Array(4096);
  #met = new Int32Array(256);
  #impacts = new Float32Array(256);

  constructor(index: TermIndex, weights: RankingWeights) {
    this.#index = index;
    this.#weights = weights;
  }

  /** Weighs and numbers the words of a tool. The result is valid until the next call. */
  weigh(text: ToolText): TermImpacts {
    let count = 0;
    let own = 0;
    let learned = 0;
    let unshared = 0;
    for (const field of FIELDS) {
      const { weight, lengthEffect, usualLength } = this.#weights.fields[field];
      const words = text[field];
      if (words.length === 0 || weight === 0) continue;
      const share = weight / (1 - lengthEffect + (lengthEffect * words.length) / usualLength);
      for (const word of words) {
        const term = this.#index.number(word);
        if (term >= this.#sums.length) this.#sums = grow(this.#sums, new Float32Array(term * 2));
        if (this.#sums[term] === 0) {
          if (count === this.#met.length) this.#met = grow(this.#met, new Int32Array(count * 2));
          this.#met[count++] = term;
        }
        this.#sums[term] = (this.#sums[term] ?? 0) + share;
      }
      if (SHARED_FIELDS.has(field)) continue;
      unshared = count;
      if (field !== 'options') learned = count;
      if (field !== 'options' && field !== 'learned') own = count;
    }
    return this.#collect({ count, own, learned, unshared });
  }

  #collect({ count, own, learned, unshared }: Omit<TermImpacts, 'terms' | 'impacts'>): TermImpacts {
    const { saturation } = this.#weights;
    const terms = this.#met;
    if (this.#impacts.length < terms.length) this.#impacts = new Float32Array(terms.length);
    const impacts = this.#impacts;
    for (let at = 0; at < count; at++) {
      const term = terms[at] ?? 0;
      const sum = this.#sums[term] ?? 0;
      impacts[at] = (sum * (saturation + 1)) / (sum + saturation);
      this.#sums[term] = 0;
    }
    return { terms, impacts, count, own, learned, unshared };
  }
}
