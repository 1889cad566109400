import type { QueryTerm } from './read-query.ts';
import type { TermIndex } from './term-index.ts';

/** A tool's number and what it scored. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

/** Tells whether a tool may be found; nothing when every one may. */
export type SlotTest = ((slot: number) => boolean) | undefined;

const BUCKETS = 512;

/** Room for one score a tool, used again by every search. */
export class ScoreSheet {
  #scores = new Float32Array(1024);
  #best = new Float32Array(1024);
  #touched = new Int32Array(1024);

  /** Adds up what each tool has of these words. */
  score(terms: readonly QueryTerm[], index: TermIndex, slots: number): void {
    this.#makeRoom(slots);
    this.#scores.fill(0, 0, slots);
    for (const { term, weight, rarity, alternatives } of terms) {
      if (term !== undefined) this.#add(index, term, rarity * weight);
      if (alternatives.length > 0) this.#addBest(index, alternatives, weight);
    }
  }

  /** The best tools that pass the filter, at least `count` of them where there are as many; in no order. */
  select(count: number, slots: number, passes: SlotTest): Scored[] {
    const scores = this.#scores;
    let highest = 0;
    for (let slot = 0; slot < slots; slot++) {
      const score = scores[slot] ?? 0;
      if (score === 0) continue;
      if (passes !== undefined && !passes(slot)) scores[slot] = 0;
      else if (score > highest) highest = score;
    }
    if (highest === 0) return [];
    const buckets = new Int32Array(BUCKETS + 1);
    const scale = BUCKETS / highest;
    for (let slot = 0; slot < slots; slot++) {
      const bucket = Math.floor((scores[slot] ?? 0) * scale);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    let lowest = BUCKETS;
    for (let seen = buckets[lowest] ?? 0; seen < count && lowest > 0;) seen += buckets[--lowest] ?? 0;
    const found: Scored[] = [];
    for (let slot = 0; slot < slots; slot++) {
      const score = scores[slot] ?? 0;
      if (score > 0 && Math.floor(score * scale) >= lowest) found.push({ slot, score });
    }
    return found;
  }

  #add(index: TermIndex, term: number, factor: number): void {
    const list = index.lists[term];
    if (list === undefined) return;
    const scores = this.#scores;
    const { tools, impacts, length } = list;
    for (let place = 0; place < length; place++) {
      const slot = tools[place] ?? 0;
      scores[slot] = (scores[slot] ?? 0) + factor * (impacts[place] ?? 0);
    }
  }

  /** Of several words for one thing only the best counts. */
  #addBest(index: TermIndex, alternatives: QueryTerm['alternatives'], weight: number): void {
    const best = this.#best;
    const touched = this.#touched;
    let count = 0;
    for (const { term, factor } of alternatives) {
      const list = index.lists[term];
      if (list === undefined) continue;
      const worth = factor * weight * index.rarityOf(term);
      const { tools, impacts, length } = list;
      for (let place = 0; place < length; place++) {
        const slot = tools[place] ?? 0;
        const value = worth * (impacts[place] ?? 0);
        const before = best[slot] ?? 0;
        if (before === 0) touched[count++] = slot;
        if (value > before) best[slot] = value;
      }
    }
    const scores = this.#scores;
    for (let place = 0; place < count; place++) {
      const slot = touched[place] ?? 0;
      scores[slot] = (scores[slot] ?? 0) + (best[slot] ?? 0);
      best[slot] = 0;
    }
  }

  #makeRoom(slots: number): void {
    if (slots <= this.#scores.length) return;
    const room = Math.max(slots, this.#scores.length * 2);
    this.#scores = new Float32Array(room);
    this.#best = new Float32Array(room);
    this.#touched = new Int32Array(room);
  }
}
