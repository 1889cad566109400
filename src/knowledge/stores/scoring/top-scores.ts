import { weighWord } from '../../../text/read-terms.ts';
import { ENTRY, type Postings } from './posting-block.ts';

export interface NumberedScore {
  readonly key: number;
  readonly score: number;
}

/** Keeps the highest scores with their keys: a heap whose root is the lowest of them. */
export class TopScores {
  readonly #scores: Float64Array;
  readonly #keys: Float64Array;
  #size = 0;

  constructor(limit: number) {
    this.#scores = new Float64Array(limit);
    this.#keys = new Float64Array(limit);
  }

  /** The score that a new entry must exceed. */
  get threshold(): number {
    return this.#size < this.#scores.length ? -Infinity : (this.#scores[0] ?? -Infinity);
  }

  add(key: number, score: number): void {
    if (this.#size < this.#scores.length) {
      this.#rise(this.#size++, key, score);
    } else if (this.#isAbove(score, key, 0)) {
      this.#sink(key, score);
    }
  }

  /** Returns the entries, best first; equal scores are ordered by key. */
  sorted(): NumberedScore[] {
    const all = Array.from({ length: this.#size }, (_, place) => ({
      key: this.#keys[place] ?? 0,
      score: this.#scores[place] ?? 0,
    }));
    return all.toSorted((a, b) => b.score - a.score || a.key - b.key);
  }

  #isAbove(score: number, key: number, place: number): boolean {
    const other = this.#scores[place] ?? 0;
    return score > other || (score === other && key < (this.#keys[place] ?? 0));
  }

  #put(place: number, key: number, score: number): void {
    this.#scores[place] = score;
    this.#keys[place] = key;
  }

  #rise(from: number, key: number, score: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#isAbove(score, key, parent)) break;
      this.#put(place, this.#keys[parent] ?? 0, this.#scores[parent] ?? 0);
      place = parent;
    }
    this.#put(place, key, score);
  }

  #sink(key: number, score: number): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && !this.#isAbove(this.#scores[right] ?? 0, this.#keys[right] ?? 0, child)) child = right;
      if (!this.#isAbove(score, key, child)) break;
      this.#put(place, this.#keys[child] ?? 0, this.#scores[child] ?? 0);
      place = child;
    }
    this.#put(place, key, score);
  }
}

const PAGE_BITS = 12;
const PAGE_SIZE = 2 ** PAGE_BITS;

interface ScoredWord {
  readonly weight: number;
  /** The average number of words in a chunk. */
  readonly averageLength: number;
  readonly only?: ReadonlySet<number> | undefined;
}

/** Sums of scores by chunk number, in pages that exist only where there are scores. */
export class ScorePages {
  readonly #pages = new Map<number, Float64Array>();
  #lastPage = -1;
  #last: Float64Array = new Float64Array(0);

  add(number: number, score: number): void {
    const page = Math.floor(number / PAGE_SIZE);
    // Lists are sorted, so the page is nearly always the same as before.
    if (page !== this.#lastPage) this.#turnTo(page);
    const place = number % PAGE_SIZE;
    this.#last[place] = (this.#last[place] ?? 0) + score;
  }

  /** Adds a word's weight in each chunk of its list, or only in some chunks. */
  addWord(list: Postings, { weight, averageLength, only }: ScoredWord): void {
    for (let place = 0; place < list.length; place += ENTRY) {
      const number = list[place] ?? 0;
      if (only?.has(number) === false) continue;
      const relativeLength = (list[place + 2] ?? 0) / averageLength;
      this.add(number, weight * weighWord(list[place + 1] ?? 0, relativeLength));
    }
  }

  /** Visits every number with a score, in no particular order. */
  forEach(visit: (number: number, score: number) => void): void {
    for (const [page, scores] of this.#pages) {
      for (let place = 0; place < PAGE_SIZE; place++) {
        const score = scores[place] ?? 0;
        if (score > 0) visit(page * PAGE_SIZE + place, score);
      }
    }
  }

  #turnTo(page: number): void {
    let scores = this.#pages.get(page);
    if (scores === undefined) this.#pages.set(page, (scores = new Float64Array(PAGE_SIZE)));
    this.#lastPage = page;
    this.#last = scores;
  }
}
