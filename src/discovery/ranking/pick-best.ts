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
