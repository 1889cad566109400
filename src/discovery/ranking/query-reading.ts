import type { RelatedWord, WordMeanings } from '../../text/word-meanings.ts';
import type { Word, WordReader } from '../../text/word-reader.ts';
import type { RankingWeights } from './ranking-weights.ts';
import { lettersOf, type TermIndex } from './term-index.ts';
import { editDistance } from '../../tool/texts/suggest.ts';

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

const SHORTEST = 4;
const MOST = 6;
/** Letters that an ending may add to one of two words. */
const ENDING = 2;

/** Words of the board that an unknown word may stand for. */
interface SimilarTerms {
  /** Words that start with it, or that it starts with. */
  readonly prefixes: readonly number[];
  /** Words it may be a misspelling of, at the smallest distance found. */
  readonly misspellings: readonly number[];
}

/** Finds known words similar to an unknown one. Comparing sets of letters first leaves few words to compare in full. */
function findSimilarTerms(index: TermIndex, word: string, stem: string): SimilarTerms {
  const prefixes: number[] = [];
  let misspellings: number[] = [];
  // Numbers and codes are values: a value that differs by one letter is another value.
  if (stem.length < SHORTEST || /\d/.test(word)) return { prefixes, misspellings };
  const letters = lettersOf(word);
  const stemLetters = lettersOf(stem);
  let nearest = word.length < 8 ? 1 : 2;
  for (const term of index.numbersLike(stem)) {
    const others = index.letters[term] ?? 0;
    const mayBeMisspelt = countBits(letters ^ others) <= 2 * nearest + ENDING;
    const mayBePrefix = (letters & others) === others || (stemLetters & others) === stemLetters;
    if (others === 0 || !(mayBeMisspelt || mayBePrefix)) continue;
    const list = index.lists[term];
    if (list === undefined) continue;
    if (mayBeMisspelt && list.word.length >= SHORTEST) {
      const distance = Math.min(editDistance(word, list.word, nearest), editDistance(stem, list.stem, nearest));
      if (distance < nearest) {
        nearest = distance;
        misspellings = [];
      }
      if (distance <= nearest) misspellings.push(term);
    }
    if (isPrefix(stem, list.stem)) prefixes.push(term);
  }
  return { prefixes: mostCommon(index, prefixes), misspellings: mostCommon(index, misspellings) };
}

/** Selects by frequency, because numbers of words depend on the order of registration. */
function mostCommon({ lists }: TermIndex, terms: readonly number[]): number[] {
  if (terms.length <= MOST) return [...terms];
  const countOf = (term: number): number => lists[term]?.length ?? 0;
  const stemOf = (term: number): string => lists[term]?.stem ?? '';
  return terms.toSorted((a, b) => countOf(b) - countOf(a) || (stemOf(a) < stemOf(b) ? -1 : 1)).slice(0, MOST);
}

function isPrefix(one: string, other: string): boolean {
  return one.length <= other.length ? other.startsWith(one) : other.length >= SHORTEST && one.startsWith(other);
}

function countBits(number: number): number {
  let count = 0;
  for (let rest = number; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Words that people use, and names of tools that do it. Each line has words of people, a colon, and words of tools. */
const TABLE = `
upload publish: push put
download newest latest: pull fetch
update: pull upgrade
compare comparison difference differ: diff
combine join squash: merge rebase
undo back: revert reset restore rollback undo
discard throw: restore reset discard
wrote author: blame annotate
history: log
modified changed edited: status diff
later: stash
release version: tag
erase delete remove: rm remove delete prune
unused space cleanup: prune clean gc
copy duplicate: cp clone
move: mv rename
output: log
memory usage busy load cpu: stats top
shell: exec
inside: exec
boot startup autostart automatically: enable
machine computer host: system
running active alive: status active
maintenance: drain cordon
allowed permission: auth
replica instance copies: scale
dependency dependencies library: package install
vulnerability security: audit
cluster: context
finished done: status wait
why explain: describe explain
failed broken crash: failed
`;

/** Stems in tool names, by the stem of a word that people use. */
export type EverydayWords = ReadonlyMap<string, readonly string[]>;

/** Reads the table of everyday words for the names of command-line and API tools. */
export function readEverydayWords(reader: WordReader): EverydayWords {
  const words = new Map<string, string[]>();
  for (const line of TABLE.trim().split('\n')) {
    const [said = '', called = ''] = line.split(': ');
    const stems = called.split(' ').map((word) => reader.toWord(word).stem);
    for (const word of said.split(' ')) {
      const { stem } = reader.toWord(word);
      const others = stems.filter((other) => other !== stem);
      words.set(stem, [...new Set([...(words.get(stem) ?? []), ...others])]);
    }
  }
  return words;
}
