import type { RelatedWord, WordMeanings } from '../../text/word-meanings.ts';
import type { Word, WordReader } from '../../text/word-reader.ts';
import type { EverydayWords } from './everyday-words.ts';
import { findSimilarTerms, type SimilarTerms } from './find-similar-terms.ts';
import type { RankingWeights } from './ranking-weights.ts';
import type { TermIndex } from './term-index.ts';

/** Unknown words of one search that are compared with every word of the board. */
const MOST_GUESSED = 6;
/** Postings of related words that one search may add up, in shares of the board. */
const MOST_ADDED = 6;
const FEWEST_ADDED = 5_000;
/** How alike what people say is to what tools are called that do it. */
const LIKENESS_OF_EVERYDAY = 0.8;
const NOTHING: SimilarTerms = { prefixes: [], misspellings: [] };

/** A word of tools that is related to one of a query. */
interface RelatedTerm extends RelatedWord {
  readonly term: number;
}

/** What reading a query uses. */
interface QueryReadingParts {
  readonly index: TermIndex;
  readonly reader: WordReader;
  readonly weights: RankingWeights;
  readonly meanings: WordMeanings | undefined;
  readonly everyday: EverydayWords;
}

/** Reads the query of one search and the needs in it, and limits how much work that may take. */
export class QueryReading {
  readonly index: TermIndex;
  readonly reader: WordReader;
  readonly weights: RankingWeights;
  readonly #meanings: WordMeanings | undefined;
  readonly #everyday: EverydayWords;
  /** Unknown words come up in the query and again in its needs. */
  readonly #similar = new Map<string, SimilarTerms>();
  /** The same holds for words that are related to others. */
  readonly #related = new Map<string, readonly RelatedTerm[]>();
  readonly #added = new Set<number>();
  readonly #mostCommon: number;
  #left: number;

  constructor({ index, reader, weights, meanings, everyday }: QueryReadingParts) {
    this.#everyday = everyday;
    this.index = index;
    this.reader = reader;
    this.weights = weights;
    this.#meanings = meanings;
    // A word that a tenth of a large board has tells no tool from another, and takes longest to add up.
    this.#mostCommon = Math.max(50, index.size / 10);
    this.#left = Math.max(FEWEST_ADDED, index.size * MOST_ADDED);
  }

  /** Words of tools that mean much the same as this one. */
  relatedTo(stem: string): readonly RelatedTerm[] {
    let found = this.#related.get(stem);
    if (found === undefined) this.#related.set(stem, (found = this.#findRelated(stem)));
    return found;
  }

  #findRelated(stem: string): RelatedTerm[] {
    const row = this.#meanings?.find(stem) ?? -1;
    const related: RelatedTerm[] = [];
    for (const word of row < 0 ? [] : (this.#meanings?.relatedTo(row) ?? [])) {
      const term = this.index.numberOf(word.stem);
      // A word that only sources have points to all of their tools, and so to none.
      if (term !== undefined && this.index.isToldByTools(term))
        related.push({ stem: word.stem, likeness: word.likeness, term });
    }
    const called = this.#everyday.get(stem);
    return called === undefined ? related : this.#addEveryday(related, called);
  }

  #addEveryday(related: readonly RelatedTerm[], called: readonly string[]): RelatedTerm[] {
    const known = new Set(related.map(({ stem }) => stem));
    const added = called.flatMap((stem): RelatedTerm[] => {
      const term = known.has(stem) ? undefined : this.index.numberOf(stem);
      if (term === undefined || !this.index.isToldByTools(term)) return [];
      return [{ stem, likeness: LIKENESS_OF_EVERYDAY, term }];
    });
    return [...related, ...added].toSorted((a, b) => b.likeness - a.likeness);
  }

  /** Tells whether a stem is one of a word that has a meaning. */
  isKnown(stem: string): boolean {
    return (this.#meanings?.find(stem) ?? -1) >= 0;
  }

  /** Words of the board an unknown word may stand for. */
  similarTo({ word, stem }: Word): SimilarTerms {
    let found = this.#similar.get(word);
    if (found === undefined) {
      found = this.#similar.size < MOST_GUESSED ? findSimilarTerms(this.index, word, stem) : NOTHING;
      this.#similar.set(word, found);
    }
    return found;
  }

  /** Tells whether a related word may be added up: it must not be common, and the search must have work left. */
  mayAdd(term: number): boolean {
    const count = this.index.lists[term]?.length ?? 0;
    if (count > this.#mostCommon) return false;
    // The needs of a query use words of the whole query again.
    if (this.#added.has(term)) return true;
    if (count > this.#left) return false;
    this.#left -= count;
    this.#added.add(term);
    return true;
  }
}
