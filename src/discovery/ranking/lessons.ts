import type { Word } from '../../text/word-reader.ts';
import type { RankingWeights } from './ranking-weights.ts';
import type { ReadQuery } from './read-query.ts';
import type { TermIndex } from './term-index.ts';

/** The exponent that makes a query with half of the words count as far from the same. */
const SAMENESS = 3;

/** Rates a tool that has learned, from its score and the best one. Returns `undefined` for other tools. */
export type RateTaught = (slot: number, score: number, best: number) => Rated | undefined;

/** The rating of a tool that has learned. */
interface Rated {
  readonly score: number;
  /** The similarity of the query to one that led to the tool before: 0 to 1. */
  readonly sameness: number;
}

/** The learned queries of tools, as words. */
export class Lessons {
  readonly #index: TermIndex;
  readonly #queries = new Map<number, readonly Int32Array[]>();
  /** The number of queries that contain each word. */
  readonly #counts = new Map<number, number>();
  #size = 0;

  constructor(index: TermIndex) {
    this.#index = index;
  }

  /** Adds the queries of a tool that was just added to the index. */
  put(slot: number, queries: readonly (readonly Word[])[]): void {
    if (queries.length === 0) return;
    // If there are very many queries, the last are not indexed, and their words may have no numbers.
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
   * Creates the rating of tools for a query. Returns `undefined` while nothing was learned.
   *
   * A tool that has learned has more words than others, and so matches more of any query. But its queries also show how
   * people ask for it: words of the query that neither the tool nor its queries have count against it. A tool that the
   * same query led to comes first.
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

  /** Compares a learned query with the current one: the cosine of their words, weighed by rarity. */
  #compare(query: Int32Array, asked: ReadonlyMap<number, number>, squares: number): number {
    let [shared, own] = [0, 0];
    for (const term of query) {
      const square = this.#rarityOf(term) ** 2;
      own += square;
      if (asked.has(term)) shared += square;
    }
    return own === 0 ? 0 : shared / Math.sqrt(own * squares);
  }

  /** Returns the rarity of a word among learned queries. Among the words of tools, words of requests would seem rare. */
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
