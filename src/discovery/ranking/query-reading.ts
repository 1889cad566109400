import type { RelatedWord, WordMeanings } from '../../text/word-meanings.ts';
import type { Word, WordReader } from '../../text/word-reader.ts';
import type { EverydayWords } from './everyday-words.ts';
import { findSimilarTerms, type SimilarTerms } from './find-similar-terms.ts';
import type { RankingWeights } from './ranking-weights.ts';
import type { TermIndex } from './term-index.ts';

/** Unknown words of one search that are compared with every word of the board. */
const MOST_GUESSED = 6;
/** Postings of related words that one search may add, relative to the size of the board. */
const MOST_ADDED = 6;
const FEWEST_ADDED = 5_000;
/** The similarity of a word that people use to the names of tools for it. */
const LIKENESS_OF_EVERYDAY = 0.8;
const NOTHING: SimilarTerms = { prefixes: [], misspellings: [] };

/** A word of tools that is related to one of a query. */
interface RelatedTerm extends RelatedWord {
  readonly term: number;
}

interface QueryReadingParts {
  readonly index: TermIndex;
  readonly reader: WordReader;
  readonly weights: RankingWeights;
  readonly meanings: WordMeanings | undefined;
  readonly everyday: EverydayWords;
}

/** Reads the query of one search and its needs, and limits the work for that. */
export class QueryReading {
  readonly index: TermIndex;
  readonly reader: WordReader;
  readonly weights: RankingWeights;
  readonly #meanings: WordMeanings | undefined;
  readonly #everyday: EverydayWords;
  /** Unknown words occur in the query and again in its needs. */
  readonly #similar = new Map<string, SimilarTerms>();
  /** Related words, for the same reason. */
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
    // A word that a tenth of a large board has distinguishes no tools, and takes longest to add up.
    this.#mostCommon = Math.max(50, index.size / 10);
    this.#left = Math.max(FEWEST_ADDED, index.size * MOST_ADDED);
  }

  /** Returns words of tools with nearly the same meaning as this one. */
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
      // A word that only sources have selects all of their tools, and so none.
      if (term !== undefined && this.index.isInToolText(term))
        related.push({ stem: word.stem, likeness: word.likeness, term });
    }
    const called = this.#everyday.get(stem);
    return called === undefined ? related : this.#addEveryday(related, called);
  }

  #addEveryday(related: readonly RelatedTerm[], called: readonly string[]): RelatedTerm[] {
    const known = new Set(related.map(({ stem }) => stem));
    const added = called.flatMap((stem): RelatedTerm[] => {
      const term = known.has(stem) ? undefined : this.index.numberOf(stem);
      if (term === undefined || !this.index.isInToolText(term)) return [];
      return [{ stem, likeness: LIKENESS_OF_EVERYDAY, term }];
    });
    return [...related, ...added].toSorted((a, b) => b.likeness - a.likeness);
  }

  /** Returns true if a stem has a known meaning. */
  isKnown(stem: string): boolean {
    return (this.#meanings?.find(stem) ?? -1) >= 0;
  }

  /** Returns words of the board that an unknown word may stand for. */
  similarTo({ word, stem }: Word): SimilarTerms {
    let found = this.#similar.get(word);
    if (found === undefined) {
      found = this.#similar.size < MOST_GUESSED ? findSimilarTerms(this.index, word, stem) : NOTHING;
      this.#similar.set(word, found);
    }
    return found;
  }

  /** Returns true if a related word may be added: it must not be common, and the search must be within its limit. */
  mayAdd(term: number): boolean {
    const count = this.index.lists[term]?.length ?? 0;
    if (count > this.#mostCommon) return false;
    // Needs of a query reuse words of the whole query.
    if (this.#added.has(term)) return true;
    if (count > this.#left) return false;
    this.#left -= count;
    this.#added.add(term);
    return true;
  }
}
