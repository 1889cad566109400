import { DIMENSIONS } from './embed-words.ts';
import { findPrincipalAxes } from './principal-axes.ts';
import type { CountedWord } from './read-words.ts';

/** A stem with its meaning, shortened, and how much it says: rare words say more. */
export interface Meaning {
  readonly stem: string;
  readonly vector: Float64Array;
  readonly weight: number;
}

const SIZE = 128;
/** Takes a quarter of the lead away that the largest axes have: they tell kinds of words, not meanings. */
const FLATTEN = 0.25;
/** The share of speech at which a word counts half. */
const COMMON = 0.0005;
/** Words that were never counted are rare, not impossible. */
const UNSEEN = 20;

/** Joins the words of each stem, takes away what all words have in common and keeps the axes that matter. */
export function reduce(words: readonly CountedWord[], embedded: ReadonlyMap<string, Float32Array>): Meaning[] {
  const total = words.reduce((sum, { count }) => sum + count, 0);
  const stems = Object.entries(Object.groupBy(words, ({ stem }) => stem)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const points = stems.map(([, same = []]) => {
    const point = new Float64Array(DIMENSIONS);
    for (const { word, count } of same) add(point, embedded.get(word), Math.sqrt(count + UNSEEN));
    return toUnit(point);
  });
  const mean = new Float64Array(DIMENSIONS);
  for (const point of points) add(mean, point, 1 / points.length);
  for (const point of points) add(point, mean, -1);
  const axes = findPrincipalAxes(points).slice(0, SIZE);
  return stems.map(([stem, same = []], row) => {
    const point = points[row] ?? mean;
    const vector = Float64Array.from(
      axes,
      ({ direction, variance }) => dot(point, direction) / variance ** (FLATTEN / 2),
    );
    const share = same.reduce((sum, { count }) => sum + (count + UNSEEN) / total, 0);
    return { stem, vector: toUnit(vector), weight: COMMON / (COMMON + share) };
  });
}

/** The product of two vectors; of unit vectors, how alike they are. */
export function dot(one: Float64Array, other: Float64Array): number {
  // Four sums that do not wait for each other: this is called some hundred million times.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < one.length; at += 4) {
    first += (one[at] ?? 0) * (other[at] ?? 0);
    second += (one[at + 1] ?? 0) * (other[at + 1] ?? 0);
    third += (one[at + 2] ?? 0) * (other[at + 2] ?? 0);
    fourth += (one[at + 3] ?? 0) * (other[at + 3] ?? 0);
  }
  return first + second + third + fourth;
}

function add(sum: Float64Array, vector: Float32Array | Float64Array | undefined, factor: number): void {
  if (vector === undefined) throw new Error('A word was not embedded.');
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + factor * (vector[at] ?? 0);
}

function toUnit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}
