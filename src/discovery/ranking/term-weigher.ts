import { grow } from '../../vectors/grow.ts';
import type { ToolText } from '../read-tool-text.ts';
import { FIELDS, type RankingWeights, SHARED_FIELDS } from './ranking-weights.ts';
import type { TermImpacts, TermIndex } from './term-index.ts';

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
