import type { Word } from '../../text/word-reader.ts';
import { type CellPool, type Page, placeOf, roomFor } from './cell-pool.ts';

/** The tools that contain a word, with its impact on each. */
interface PostingList {
  readonly stem: string;
  /** A word it was read from. */
  readonly word: string;
  /** Its cells: the tools' numbers in the first half, the impacts at the same positions of the second half. */
  address: number;
  /** The number of cells. */
  room: number;
  length: number;
  /** Tools that have it in words of their own, not only in those of their options or source. */
  own: number;
  /** Tools that have it only in words of their many options. */
  inOptions: number;
  /** Tools that have it only from queries that led to them. */
  inLearned: number;
}

/** Cells before a tool's lists: the numbers of all terms, of its own, with learned ones, and with options. */
const HEADER = 4;
/** The weight of a tool with a word only among many options: a hundred flags must not make other tools' words common. */
const ONLY_OPTION = 0.2;
/**
 * Added to the number of taught tools when words of learned queries are counted, so that the first tools that learn are
 * found by what they learn.
 */
const FIRST_TAUGHT = 10;
const SMALLEST_LIST = 4;

/** The words of a tool by number, each once, with their impacts. Valid until the next tool. */
export interface TermImpacts {
  readonly terms: Int32Array;
  readonly impacts: Float32Array;
  /** The number of terms and impacts. */
  readonly count: number;
  /** The number of terms, from the start, that are the tool's own words. */
  readonly own: number;
  /** The number of terms that are its own or from queries that led to it. */
  readonly learned: number;
  /** The number of terms that are those or from its options; the rest come from its source. */
  readonly unshared: number;
}

/**
 * An inverted index with fast adding and removing of single tools.
 *
 * Each tool knows its position in all its lists, so removing it takes time only for its own words; numbers of tools and
 * words are reused.
 */
export class TermIndex {
  /** By number; `undefined` for words that no tool has any more. */
  readonly lists: (PostingList | undefined)[] = [];
  /** A bit for each letter of each word, 0 for removed ones: a cheap first test for similar words. */
  readonly letters: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** By the first character of the stem; numbers of removed words are reused for words with the same one. */
  readonly #byFirst = new Map<number, { readonly numbers: number[]; readonly free: number[] }>();
  /** By the tool's number: the address of its lists and its position in each. */
  readonly #tools: (number | undefined)[] = [];
  readonly #pool: CellPool;
  #size = 0;
  /** The number of tools with words from queries that led to them. */
  #taught = 0;

  constructor(pool: CellPool) {
    this.#pool = pool;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a stem, if a tool has it. */
  numberOf(stem: string): number | undefined {
    return this.#numbers.get(stem);
  }

  /** Returns the number of a word's stem, if a tool has it. Words remember their last number. */
  numberOfWord(word: Word): number | undefined {
    if (this.lists[word.lastTerm]?.stem === word.stem) return word.lastTerm;
    const term = this.#numbers.get(word.stem);
    if (term !== undefined) word.lastTerm = term;
    return term;
  }

  /** Returns the numbers of words whose stems start with the same character, including removed ones. */
  numbersLike(stem: string): readonly number[] {
    return this.#byFirst.get(stem.charCodeAt(0))?.numbers ?? [];
  }

  /** Returns the page with a list's cells. */
  pageOf({ address }: PostingList): Page {
    return this.#pool.pageOf(address);
  }

  /** Returns true if a tool has a word in its own text or learned it, not only from its options or its source. */
  isInToolText(term: number): boolean {
    const list = this.lists[term];
    return list !== undefined && list.own + list.inLearned > 0;
  }

  /** Returns the rarity of a word: 0 or more. A word that no tool has is the rarest. */
  rarityOf(term: number | undefined): number {
    const list = term === undefined ? undefined : this.lists[term];
    return this.#rarity(list === undefined ? 0 : this.#countOf(list, list.length - list.inOptions - list.inLearned));
  }

  /**
   * Returns the rarity of a word of a query. A tool that has it only from its source counts half: a source's own
   * description must not make a word common that only one of its tools has.
   */
  rarityOfAsked(term: number | undefined): number {
    const list = term === undefined ? undefined : this.lists[term];
    if (list === undefined) return this.#rarity(0);
    const { own, length, inOptions, inLearned } = list;
    return this.#rarity(this.#countOf(list, (own + length - inOptions - inLearned) / 2));
  }

  /**
   * Counts the tools that make a word common. `unshared` of them have it outside options and learned queries. A word that a
   * share of the taught tools learned counts as if the same share of all tools had: people use it for the others too,
   * which have not learned it yet.
   */
  #countOf({ inOptions, inLearned }: PostingList, unshared: number): number {
    const share = (this.#size + FIRST_TAUGHT) / (this.#taught + FIRST_TAUGHT);
    return unshared + ONLY_OPTION * inOptions + inLearned * share;
  }

  #rarity(count: number): number {
    // `count` is extrapolated and may exceed the index size.
    return Math.log(1 + (Math.max(0, this.#size - count) + 0.5) / (count + 0.5));
  }

  /** Returns the number of a stem, a new one if no tool has it yet. It stays valid only if the tool is then added. */
  number(given: Word): number {
    const { stem } = given;
    if (this.lists[given.lastTerm]?.stem === stem) return given.lastTerm;
    given.lastTerm = this.#numbers.get(stem) ?? this.#newNumber(given);
    return given.lastTerm;
  }

  #newNumber({ stem, word }: Word): number {
    const alike = this.#beginningLike(stem);
    const free = alike.free.pop();
    const term = free ?? this.lists.length;
    if (free === undefined) alike.numbers.push(term);
    this.#numbers.set(stem, term);
    this.letters[term] = lettersOf(word);
    this.lists[term] = {
      stem,
      word,
      address: this.#pool.take(SMALLEST_LIST),
      room: SMALLEST_LIST,
      length: 0,
      own: 0,
      inOptions: 0,
      inLearned: 0,
    };
    return term;
  }

  /** Adds a tool whose words were just numbered. */
  add(slot: number, { terms, impacts, count, own, learned, unshared }: TermImpacts): void {
    const address = this.#pool.take(HEADER + 2 * count);
    const { whole } = this.#pool.pageOf(address);
    const first = placeOf(address) + HEADER;
    whole[first - HEADER] = count;
    whole[first - HEADER + 1] = own;
    whole[first - HEADER + 2] = learned;
    whole[first - HEADER + 3] = unshared;
    if (learned > own) this.#taught++;
    for (let at = 0; at < count; at++) {
      const term = terms[at] ?? 0;
      whole[first + at] = term;
      whole[first + count + at] = this.#append(term, slot, impacts[at] ?? 0);
      if (at < unshared) this.#countIn(term, 1, at < own ? 'own' : at < learned ? 'inLearned' : 'inOptions');
    }
    this.#tools[slot] = address;
    this.#size++;
  }

  remove(slot: number): void {
    const address = this.#tools[slot];
    if (address === undefined) return;
    this.#tools[slot] = undefined;
    this.#size--;
    const { whole } = this.#pool.pageOf(address);
    const first = placeOf(address) + HEADER;
    const count = whole[first - HEADER] ?? 0;
    const own = whole[first - HEADER + 1] ?? 0;
    const learned = whole[first - HEADER + 2] ?? 0;
    const unshared = whole[first - HEADER + 3] ?? 0;
    if (learned > own) this.#taught--;
    for (let at = 0; at < count; at++) {
      const term = whole[first + at] ?? 0;
      if (at < unshared) this.#countIn(term, -1, at < own ? 'own' : at < learned ? 'inLearned' : 'inOptions');
      this.#removePosting(term, whole[first + count + at] ?? 0);
    }
    this.#pool.give(address, HEADER + 2 * count);
  }

  /** Returns the numbers of a tool's own and learned words. */
  termsOf(slot: number): Int32Array {
    const address = this.#tools[slot];
    if (address === undefined) return new Int32Array();
    const { whole } = this.#pool.pageOf(address);
    const first = placeOf(address) + HEADER;
    return whole.subarray(first, first + (whole[first - HEADER + 2] ?? 0));
  }

  #countIn(term: number, change: number, where: 'own' | 'inLearned' | 'inOptions'): void {
    const list = this.lists[term];
    if (list !== undefined) list[where] += change;
  }

  #beginningLike(stem: string): { readonly numbers: number[]; readonly free: number[] } {
    const first = stem.charCodeAt(0);
    let alike = this.#byFirst.get(first);
    if (alike === undefined) this.#byFirst.set(first, (alike = { numbers: [], free: [] }));
    return alike;
  }

  #append(term: number, slot: number, impact: number): number {
    const list = this.lists[term];
    if (list === undefined) return 0;
    if (2 * list.length === list.room) this.#enlarge(list);
    const { whole, fractions } = this.pageOf(list);
    const place = placeOf(list.address) + list.length;
    whole[place] = slot;
    fractions[place + (list.room >> 1)] = impact;
    return list.length++;
  }

  #enlarge(list: PostingList): void {
    const { address: old, room, length } = list;
    const from = this.#pool.pageOf(old);
    const first = placeOf(old);
    list.room = roomFor(2 * room);
    list.address = this.#pool.take(list.room);
    const to = this.pageOf(list);
    const next = placeOf(list.address);
    for (let at = 0; at < length; at++) {
      to.whole[next + at] = from.whole[first + at] ?? 0;
      to.fractions[next + room + at] = from.fractions[first + (room >> 1) + at] ?? 0;
    }
    this.#pool.give(old, room);
  }

  /** Moves the last posting to the position of the removed one. */
  #removePosting(term: number, place: number): void {
    const list = this.lists[term];
    if (list === undefined) return;
    const last = --list.length;
    if (last === 0) {
      this.#numbers.delete(list.stem);
      this.#beginningLike(list.stem).free.push(term);
      this.#pool.give(list.address, list.room);
      this.lists[term] = undefined;
      this.letters[term] = 0;
    } else if (place < last) {
      const { whole, fractions } = this.pageOf(list);
      const first = placeOf(list.address);
      const moved = whole[first + last] ?? 0;
      whole[first + place] = moved;
      fractions[first + (list.room >> 1) + place] = fractions[first + (list.room >> 1) + last] ?? 0;
      this.#notePlace(moved, term, place);
    }
  }

  #notePlace(slot: number, term: number, place: number): void {
    const address = this.#tools[slot];
    if (address === undefined) return;
    const { whole } = this.#pool.pageOf(address);
    const first = placeOf(address) + HEADER;
    const count = whole[first - HEADER] ?? 0;
    const at = whole.subarray(first, first + count).indexOf(term);
    whole[first + at + count] = place;
  }
}

/** Returns a bit for each letter of a word; digits and other scripts share the remaining bits. */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let place = 0; place < word.length; place++) letters |= 1 << ((word.charCodeAt(place) - 97) % 32);
  return letters;
}
