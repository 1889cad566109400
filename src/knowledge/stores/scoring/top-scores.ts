/** The number of a chunk and its score. */
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
