import type { RelatedWords } from '../text/related-words.ts';
import { QUERY_STOP_WORDS } from '../text/stop-words.ts';
import type { Word, WordReader } from '../text/word-reader.ts';
import { findSimilarTerms, type SimilarTerms } from './find-similar-terms.ts';
import type { RankingWeights } from './ranking-weights.ts';
import type { TermIndex } from './term-index.ts';

const MOST_TERMS = 48;
const MOST_UNKNOWN = 6;
const NONE: ReadonlySet<string> = new Set();

/** A word of the board that counts as part of one of the query's. */
interface Alternative {
  readonly term: number;
  readonly factor: number;
  /** The word itself, misspelt or shortened; otherwise one that is related to it. */
  readonly isSpelling: boolean;
}

/** A word of the query, with what it may also be. */
export interface QueryTerm extends Word {
  /** The word's number on the board, if a tool has it. */
  readonly term: number | undefined;
  readonly weight: number;
  readonly rarity: number;
  readonly alternatives: readonly Alternative[];
}

/** A query, or one of its needs, ready to be scored. */
export interface ReadQuery {
  readonly terms: readonly QueryTerm[];
  /** Numbers of words that stand side by side. */
  readonly pairs: readonly (readonly [number, number])[];
}

/** What reading a query needs to know. */
export interface QueryReading {
  readonly index: TermIndex;
  readonly reader: WordReader;
  readonly related: RelatedWords;
  readonly weights: RankingWeights;
  /** What was found for unknown words, for they come up in the query and again in its needs. */
  readonly similar: Map<string, SimilarTerms>;
}

/** Reads a query into weighted terms. A query of nothing but stop words is searched with those. */
export function readQuery(query: string, reading: QueryReading): ReadQuery {
  const { index, reader, weights } = reading;
  let words = reader.read(query, QUERY_STOP_WORDS);
  if (words.length === 0) words = reader.read(query, NONE);
  const counted = new Map<string, { readonly word: Word; count: number }>();
  for (const word of words) {
    const known = counted.get(word.stem);
    if (known === undefined) counted.set(word.stem, { word, count: 1 });
    else known.count++;
  }
  const { querySaturation } = weights;
  const rarest = [...counted.values()]
    .map(({ word, count }) => {
      const term = index.numberOf(word.stem);
      const weight = (count * (1 + querySaturation)) / (count + querySaturation);
      return { ...word, term, weight, rarity: index.rarityOf(term) };
    })
    .toSorted((a, b) => Number(b.term !== undefined) - Number(a.term !== undefined) || b.rarity - a.rarity)
    .slice(0, MOST_TERMS);
  let unknown = 0;
  const terms = rarest.map((term): QueryTerm => {
    const isUnknown = term.term === undefined && unknown++ < MOST_UNKNOWN;
    return {
      ...term,
      alternatives: [...findRelated(term.stem, counted, reading), ...(isUnknown ? guess(term, reading) : [])],
    };
  });
  return { terms, pairs: findPairs(words, index) };
}

function findRelated(stem: string, asked: ReadonlyMap<string, unknown>, reading: QueryReading): Alternative[] {
  const { index, related, weights } = reading;
  const found: Alternative[] = [];
  const factor = index.numberOf(stem) === undefined ? weights.relatedToUnknown : weights.related;
  // What a tenth of a large board has tells no tool from another, and takes longest to add up.
  const mostCommon = Math.max(50, index.size / 10);
  for (const other of related.get(stem) ?? []) {
    const term = asked.has(other) ? undefined : index.numberOf(other);
    if (term !== undefined && (index.lists[term]?.length ?? 0) <= mostCommon)
      found.push({ term, factor, isSpelling: false });
  }
  return found;
}

function guess({ word, stem }: Word, { index, weights, similar, related }: QueryReading): Alternative[] {
  const found = similar.get(word) ?? findSimilarTerms(index, word, stem);
  similar.set(word, found);
  const { prefixes, misspellings } = found;
  return [
    ...prefixes.map((term) => ({ term, factor: weights.prefix, isSpelling: true })),
    // A word with relations is an English word: nobody misspelt it.
    ...(related.has(stem) ? [] : misspellings).map((term) => ({ term, factor: weights.misspelt, isSpelling: true })),
  ];
}

function findPairs(words: readonly Word[], index: TermIndex): [number, number][] {
  const pairs: [number, number][] = [];
  for (let place = 0; place + 1 < words.length && pairs.length < MOST_TERMS; place++) {
    const first = index.numberOf(words[place]?.stem ?? '');
    const second = index.numberOf(words[place + 1]?.stem ?? '');
    if (first !== undefined && second !== undefined && first !== second) pairs.push([first, second]);
  }
  return pairs;
}
