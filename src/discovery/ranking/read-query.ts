import type { Word } from '../../text/word-reader.ts';
import type { QueryReading } from './query-reading.ts';
import type { TermIndex } from './term-index.ts';

const MOST_TERMS = 48;

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

/** Reads a query into weighted terms. For a query such as `show me`, its wrapping words are the terms. */
export function readQuery(query: string, reading: QueryReading): ReadQuery {
  const { index, reader, weights } = reading;
  let words = reader.readQuery(query);
  if (words.length === 0) words = reader.read(query);
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
      return { ...word, term, weight, rarity: index.rarityOfAsked(term) };
    })
    .toSorted((a, b) => Number(b.term !== undefined) - Number(a.term !== undefined) || b.rarity - a.rarity)
    .slice(0, MOST_TERMS);
  // Among other words a vague match is fine; a single word must match well.
  const least = rarest.length > 1 ? 0 : weights.leastLikeness;
  const terms = rarest.map((term): QueryTerm => ({
    ...term,
    alternatives: [
      ...findRelated(term, { asked: counted, least }, reading),
      ...(term.term === undefined ? guess(term, reading) : []),
    ],
  }));
  return { terms, pairs: findPairs(words, index) };
}

/** Which related words may be taken. */
interface RelatedRule {
  readonly asked: ReadonlyMap<string, unknown>;
  readonly least: number;
}

function findRelated({ stem }: Word, { asked, least }: RelatedRule, reading: QueryReading): Alternative[] {
  const { index, weights } = reading;
  const found: Alternative[] = [];
  for (const { stem: other, likeness } of reading.relatedTo(stem)) {
    if (likeness < least) break;
    const term = asked.has(other) ? undefined : index.numberOf(other);
    // A word that only sources have points to all of their tools, and so to none.
    if (term !== undefined && (index.lists[term]?.own ?? 0) > 0 && reading.mayAdd(term))
      found.push({ term, factor: weights.related * likeness * likeness, isSpelling: false });
  }
  return found;
}

function guess(word: Word, reading: QueryReading): Alternative[] {
  const { weights } = reading;
  const { prefixes, misspellings } = reading.similarTo(word);
  return [
    ...prefixes.map((term) => ({ term, factor: weights.prefix, isSpelling: true })),
    // A word with a known meaning is not misspelt.
    ...(reading.isKnown(word.stem) ? [] : misspellings).map((term) => ({
      term,
      factor: weights.misspelt,
      isSpelling: true,
    })),
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
