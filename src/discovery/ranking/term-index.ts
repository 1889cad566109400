import type { Word } from '../../text/word-reader.ts';
import { type CellPool, type Page, placeOf, roomFor } from './cell-pool.ts';

/** Which tools have a word, and how much it says about each. */
export interface PostingList {
  readonly stem: string;
  /** A word it was read from. */
  readonly word: string;
  /** The tools' numbers in the first half of its cells, what the word says about each at the same place of the second. */
  address: number;
  /** How many cells there are. */
  room: number;
  length: number;
  /** How many of the tools have it in words of their own, not only in those of their options or of their source. */
  own: number;
  /** How many of the tools have it only in words of their many options. */
  inOptions: number;
  /** How many of the tools have it only from queries that led to them. */
  inLearned: number;
}

/** What stands before a tool's lists and its places in them: how many there are, are its own, learned too, and of options too. */
const HEADER = 4;
/** What a tool counts that has a word only among many options: a hundred flags must not make the words of other tools common. */
const ONLY_OPTION = 0.2;
/**
 * What is added to the number of taught tools where words of learned queries are counted: the first tools that learn must
 * be found by what they learn.
 */
const FIRST_TAUGHT = 10;
const SMALLEST_LIST = 4;

/** The words of a tool by their numbers, each once, and how much each says about it. It holds until the next tool. */
export interface TermImpacts {
  readonly terms: Int32Array;
  readonly impacts: Float32Array;
  /** How many of either there are. */
  readonly count: number;
  /** So many of the terms, the first ones, are words of the tool's own. */
  readonly own: number;
  /** So many are the tool's own or of queries that led to it. */
  readonly learned: number;
  /** So many are those or of its options; the rest are only its source's. */
  readonly told: number;
}

/**
 * An inverted index to which tools are added and from which they are removed one by one.
 *
 * Each tool knows its place in every list it is in, so that taking it off costs its own words and no search; numbers of
 * tools and of words are used again.
 */
export class TermIndex {
  /** By number; gaps where a word is on no tool any more. */
  readonly lists: (PostingList | undefined)[] = [];
  /** A bit for each letter of each word, 0 for gaps: a cheap first look at whether two words can be alike. */
  readonly letters: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** By the first character of their stems; numbers of words that are gone stay, for words that begin alike. */
  readonly #byFirst = new Map<number, { readonly numbers: number[]; readonly free: number[] }>();
  /** By the tool's number: the lists it is in, and then its place in each. */
  readonly #tools: (number | undefined)[] = [];
  readonly #pool: CellPool;
  #size = 0;
  /** How many tools have words from queries that led to them. */
  #taught = 0;

  constructor(pool: CellPool) {
    this.#pool = pool;
  }

  /** How many tools there are. */
  get size(): number {
    return this.#size;
  }

  /** The number of a stem, if a tool has it. */
  numberOf(stem: string): number | undefined {
    return this.#numbers.get(stem);
  }

  /** The number of a word's stem, if a tool has it: words remember the number they had last. */
  numberOfWord(word: Word): number | undefined {
    if (this.lists[word.lastTerm]?.stem === word.stem) return word.lastTerm;
    const term = this.#numbers.get(word.stem);
    if (term !== undefined) word.lastTerm = term;
    return term;
  }

  /** The numbers of words whose stems begin with the same character, those too of words that are gone. */
  numbersLike(stem: string): readonly number[] {
    return this.#byFirst.get(stem.charCodeAt(0))?.numbers ?? [];
  }

  /** The page that has a list's cells. */
  pageOf({ address }: PostingList): Page {
    return this.#pool.pageOf(address);
  }

  /** Tells whether a tool has a word of its own, or learned it; not only from its options or its source. */
  isToldByTools(term: number): boolean {
    const list = this.lists[term];
    return list !== undefined && list.own + list.inLearned > 0;
  }

  /** How rare a word is: 0 and more. A word no tool has is as rare as can be. */
  rarityOf(term: number | undefined): number {
    const list = term === undefined ? undefined : this.lists[term];
    return this.#rarity(list === undefined ? 0 : this.#countOf(list, list.length - list.inOptions - list.inLearned));
  }

  /**
   * How rare a word is that was asked for. One that tools have from their source alone counts half for each: what a
   * source says of itself must not make a word common that only one of its tools has.
   */
  rarityOfAsked(term: number | undefined): number {
    const list = term === undefined ? undefined : this.lists[term];
    if (list === undefined) return this.#rarity(0);
    const { own, length, inOptions, inLearned } = list;
    return this.#rarity(this.#countOf(list, (own + length - inOptions - inLearned) / 2));
  }

  /**
   * How many tools have a word, as far as that makes it common. `told` of them have it in other words than those of options
   * and learned queries. A word that a share of the taught tools learned counts as if the same share of all had: people
   * use it for the others too, which just have not learned it yet.
   */
  #countOf({ inOptions, inLearned }: PostingList, told: number): number {
    const share = (this.#size + FIRST_TAUGHT) / (this.#taught + FIRST_TAUGHT);
    return told + ONLY_OPTION * inOptions + inLearned * share;
  }

  #rarity(count: number): number {
    // Of a word that nearly all taught tools learned, more tools are counted than there are.
    return Math.log(1 + (Math.max(0, this.#size - count) + 0.5) / (count + 0.5));
  }

  /** The number of a stem, a new one if no tool has it yet. It holds if the tool is then added. */
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

  /** Adds a tool whose words were numbered just now. */
  add(slot: number, { terms, impacts, count, own, learned, told }: TermImpacts): void {
    const address = this.#pool.take(HEADER + 2 * count);
    const { whole } = this.#pool.pageOf(address);
    const first = placeOf(address) + HEADER;
    whole[first - HEADER] = count;
    whole[first - HEADER + 1] = own;
    whole[first - HEADER + 2] = learned;
    whole[first - HEADER + 3] = told;
    if (learned > own) this.#taught++;
    for (let at = 0; at < count; at++) {
      const term = terms[at] ?? 0;
      whole[first + at] = term;
      whole[first + count + at] = this.#append(term, slot, impacts[at] ?? 0);
      if (at < told) this.#countTold(term, 1, at < own ? 'own' : at < learned ? 'inLearned' : 'inOptions');
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
    const told = whole[first - HEADER + 3] ?? 0;
    if (learned > own) this.#taught--;
    for (let at = 0; at < count; at++) {
      const term = whole[first + at] ?? 0;
      if (at < told) this.#countTold(term, -1, at < own ? 'own' : at < learned ? 'inLearned' : 'inOptions');
      this.#takeOut(term, whole[first + count + at] ?? 0);
    }
    this.#pool.give(address, HEADER + 2 * count);
  }

  /** The numbers of a tool's own words and of those that were learned for it. */
  termsOf(slot: number): Int32Array {
    const address = this.#tools[slot];
    if (address === undefined) return new Int32Array();
    const { whole } = this.#pool.pageOf(address);
    const first = placeOf(address) + HEADER;
    return whole.subarray(first, first + (whole[first - HEADER + 2] ?? 0));
  }

  #countTold(term: number, change: number, where: 'own' | 'inLearned' | 'inOptions'): void {
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

  /** The last posting takes the place of the one that goes. */
  #takeOut(term: number, place: number): void {
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

/** A bit for each letter a word has; digits and other scripts share the rest. */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let place = 0; place < word.length; place++) letters |= 1 << ((word.charCodeAt(place) - 97) % 32);
  return letters;
}
