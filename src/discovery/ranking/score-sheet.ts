import { placeOf } from './cell-pool.ts';
import { pickBest, type Scored } from './pick-best.ts';
import type { QueryTerm } from './read-query.ts';
import type { TermIndex } from './term-index.ts';

/** Returns true if a tool may be found. Default: every tool may. */
export type SlotTest = ((slot: number) => boolean) | undefined;

/** One score for each tool, reused by every search. Only tools that match part of the query are visited. */
export class ScoreSheet {
  #scores = new Float32Array(1024);
  #best = new Float32Array(1024);
  /** The tools with a score, and those with a best value of several words. */
  #scored = new Int32Array(1024);
  #touched = new Int32Array(1024);
  #count = 0;

  /** Adds up the matches of these words for each tool. */
  score(terms: readonly QueryTerm[], index: TermIndex, slots: number): void {
    this.#makeRoom(slots);
    for (let place = 0; place < this.#count; place++) this.#scores[this.#scored[place] ?? 0] = 0;
    this.#count = 0;
    for (const { term, weight, rarity, alternatives } of terms) {
      if (term !== undefined) this.#add(index, term, rarity * weight);
      if (alternatives.length > 0) this.#addBest(index, alternatives, weight);
    }
  }

  /** Returns the `count` best tools that pass the filter, in no particular order. */
  select(count: number, passes: SlotTest): Scored[] {
    return pickBest(this.#scores, this.#passing(passes), count);
  }

  #passing(passes: SlotTest): Int32Array {
    const scored = this.#scored.subarray(0, this.#count);
    return passes === undefined ? scored : scored.filter((slot) => passes(slot));
  }

  #add(index: TermIndex, term: number, factor: number): void {
    const list = index.lists[term];
    if (list === undefined || factor === 0) return;
    const scores = this.#scores;
    const scored = this.#scored;
    const { whole, fractions } = index.pageOf(list);
    const start = placeOf(list.address);
    const end = start + list.length;
    const half = list.room >> 1;
    let count = this.#count;
    for (let place = start; place < end; place++) {
      const slot = whole[place] ?? 0;
      const before = scores[slot] ?? 0;
      if (before === 0) scored[count++] = slot;
      scores[slot] = before + factor * (fractions[place + half] ?? 0);
    }
    this.#count = count;
  }

  /** Adds only the best of several words with one meaning. */
  #addBest(index: TermIndex, alternatives: QueryTerm['alternatives'], weight: number): void {
    const best = this.#best;
    const touched = this.#touched;
    let count = 0;
    for (const { term, factor } of alternatives) {
      const list = index.lists[term];
      const worth = factor * weight * index.rarityOf(term);
      if (list === undefined || worth === 0) continue;
      const { whole, fractions } = index.pageOf(list);
      const start = placeOf(list.address);
      const end = start + list.length;
      const half = list.room >> 1;
      for (let place = start; place < end; place++) {
        const slot = whole[place] ?? 0;
        const value = worth * (fractions[place + half] ?? 0);
        const before = best[slot] ?? 0;
        if (before === 0) touched[count++] = slot;
        if (value > before) best[slot] = value;
      }
    }
    const scores = this.#scores;
    for (let place = 0; place < count; place++) {
      const slot = touched[place] ?? 0;
      const before = scores[slot] ?? 0;
      if (before === 0) this.#scored[this.#count++] = slot;
      scores[slot] = before + (best[slot] ?? 0);
      best[slot] = 0;
    }
  }

  #makeRoom(slots: number): void {
    if (slots <= this.#scores.length) return;
    const room = Math.max(slots, this.#scores.length * 2);
    this.#scores = new Float32Array(room);
    this.#best = new Float32Array(room);
    this.#scored = new Int32Array(room);
    this.#touched = new Int32Array(room);
    this.#count = 0;
  }
}
