import type { Word } from '../../text/word-reader.ts';
import type { RankingWeights } from './ranking-weights.ts';
import type { ReadQuery } from './read-query.ts';
import type { TermIndex } from './term-index.ts';

/** A query with half of the words is far from being the same one. */
const SAMENESS = 3;

/** Rates a tool again that has learned, from its score and the best one; `undefined` for other tools. */
export type RateTaught = (slot: number, score: number, best: number) => Rated | undefined;

/** What a tool that has learned is worth for a query. */
interface Rated {
  readonly score: number;
  /** How much the query is one that led to it before: 0 to 1. */
  readonly sameness: number;
}

/** What was learned for tools by their numbers: the words of each query that led to one. */
export class Lessons {
  readonly #index: TermIndex;
  readonly #queries = new Map<number, readonly Int32Array[]>();
  /** In how many queries each word is. */
  readonly #counts = new Map<number, number>();
  #size = 0;

  constructor(index: TermIndex) {
    this.#index = index;
  }

  /** Keeps the queries of a tool that was just added to the index. */
  put(slot: number, queries: readonly (readonly Word[])[]): void {
    if (queries.length === 0) return;
    // Of very many queries the last are not indexed, and their words may have no numbers.
    const known = queries.map((words) =>
      Int32Array.from(new Set(words.flatMap((word) => this.#index.numberOfWord(word) ?? []))),
    );
    this.#queries.set(slot, known);
    for (const query of known) this.#count(query, 1);
  }

  remove(slot: number): void {
    for (const query of this.#queries.get(slot) ?? []) this.#count(query, -1);
    this.#queries.delete(slot);
  }

  /**
   * Makes the rating of tools for a query; `undefined` while nothing was learned.
   *
   * A tool that has learned has more words than others, and so more of any query. In return it has shown how people ask for
   * it: words of the query that neither the tool nor its queries have count against it. A tool that the same query led to
   * comes first.
   */
  rate({ terms }: ReadQuery, { missing, repeated }: RankingWeights): RateTaught | undefined {
    if (this.#size === 0) return undefined;
    const asked = new Map<number, number>();
    let [whole, squares] = [0, 0];
    for (const { term, weight } of terms) {
      const rarity = this.#rarityOf(term);
      if (term !== undefined) asked.set(term, rarity * weight);
      whole += rarity * weight;
      squares += rarity * rarity;
    }
    if (whole === 0) return undefined;
    return (slot, score, best) => {
      const queries = this.#queries.get(slot);
      if (queries === undefined) return undefined;
      let rest = whole;
      for (const term of this.#index.termsOf(slot)) rest -= asked.get(term) ?? 0;
      let alike = 0;
      for (const query of queries) alike = Math.max(alike, this.#compare(query, asked, squares));
      const sameness = alike ** SAMENESS;
      return { score: score * (1 - (missing * rest) / whole) + repeated * best * sameness, sameness };
    };
  }

  /** How alike a learned query and one that is asked are: the cosine of their words, of which rare ones count more. */
  #compare(query: Int32Array, asked: ReadonlyMap<number, number>, squares: number): number {
    let [shared, own] = [0, 0];
    for (const term of query) {
      const square = this.#rarityOf(term) ** 2;
      own += square;
      if (asked.has(term)) shared += square;
    }
    return own === 0 ? 0 : shared / Math.sqrt(own * squares);
  }

  /** How rare a word is among learned queries. Among the words of tools, words of requests would look rare. */
  #rarityOf(term: number | undefined): number {
    const count = term === undefined ? 0 : (this.#counts.get(term) ?? 0);
    return Math.log(1 + (this.#size + 0.5) / (count + 0.5));
  }

  #count(query: Int32Array, change: number): void {
    this.#size += change;
    for (const term of query) {
      const count = (this.#counts.get(term) ?? 0) + change;
      if (count === 0) this.#counts.delete(term);
      else this.#counts.set(term, count);
    }
  }
}
