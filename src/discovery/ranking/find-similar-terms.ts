import { editDistance } from '../../tool/texts/edit-distance.ts';
import { lettersOf, type TermIndex } from './term-index.ts';

const SHORTEST = 4;
const MOST = 6;
/** Letters that an ending may add to one of two words. */
const ENDING = 2;

/** Words of the board that an unknown word may stand for. */
export interface SimilarTerms {
  /** Words that start with it, or that it starts with. */
  readonly prefixes: readonly number[];
  /** Words it may be a misspelling of, at the smallest distance found. */
  readonly misspellings: readonly number[];
}

/** Finds known words similar to an unknown one. Comparing sets of letters first leaves few words to compare in full. */
export function findSimilarTerms(index: TermIndex, word: string, stem: string): SimilarTerms {
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
