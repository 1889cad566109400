const PAGE_BITS = 12;
const PAGE_SIZE = 2 ** PAGE_BITS;

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
