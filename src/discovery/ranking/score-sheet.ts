import { placeOf } from './cell-pool.ts';
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

/** A tool's number and its score. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

const BUCKETS = 256;
/** Enough to separate any two different scores. */
const DEEPEST = 4;

/**
 * Picks the `count` best tools, in no particular order.
 *
 * Scores are counted in buckets, and only the bucket with the limit is examined again, so the time is proportional to
 * the number of tools even if many score the same.
 */
export function pickBest(scores: Float32Array, slots: Int32Array, count: number): Scored[] {
  const picked: Scored[] = [];
  let rest = slots;
  for (let depth = 0; picked.length < count && rest.length > 0; depth++) {
    const { lowest, highest } = rangeOf(scores, rest);
    if (picked.length + rest.length <= count || highest === lowest || depth === DEEPEST) {
      // Lower numbers were registered first, so equal scores are not picked by chance.
      const equal = rest.toSorted().subarray(0, count - picked.length);
      for (const slot of equal) picked.push({ slot, score: scores[slot] ?? 0 });
      break;
    }
    rest = takeAbove(scores, rest, { picked, count, lowest, scale: (BUCKETS - 1) / (highest - lowest) });
  }
  return picked;
}

interface Cut {
  readonly picked: Scored[];
  readonly count: number;
  readonly lowest: number;
  readonly scale: number;
}

/** Picks everything above the bucket with the limit, and returns the contents of that bucket. */
function takeAbove(scores: Float32Array, slots: Int32Array, { picked, count, lowest, scale }: Cut): Int32Array {
  const buckets = new Int32Array(BUCKETS);
  for (let place = 0; place < slots.length; place++) {
    const bucket = ((scores[slots[place] ?? 0] ?? 0) - lowest) * scale;
    buckets[bucket | 0] = (buckets[bucket | 0] ?? 0) + 1;
  }
  let border = BUCKETS - 1;
  for (let seen = picked.length + (buckets[border] ?? 0); seen < count && border > 0;) seen += buckets[--border] ?? 0;
  const inside = new Int32Array(buckets[border] ?? 0);
  let found = 0;
  for (let place = 0; place < slots.length; place++) {
    const slot = slots[place] ?? 0;
    const score = scores[slot] ?? 0;
    const bucket = ((score - lowest) * scale) | 0;
    if (bucket > border) picked.push({ slot, score });
    else if (bucket === border) inside[found++] = slot;
  }
  return inside;
}

function rangeOf(scores: Float32Array, slots: Int32Array): { readonly lowest: number; readonly highest: number } {
  let lowest = Infinity;
  let highest = 0;
  for (let place = 0; place < slots.length; place++) {
    const score = scores[slots[place] ?? 0] ?? 0;
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  return { lowest, highest };
}
