import type { Distance } from '../vector-store.ts';

/** Returns the vector to store: normalized for cosine distance, so that a dot product is the cosine. */
export function toKeptVector(vector: Float32Array, distance: Distance): Float32Array {
  if (distance !== 'cosine') return vector;
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0 || Math.abs(squares - 1) < 1e-6) return vector;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** Compares two stored vectors: higher is nearer. */
export function nearness(left: Float32Array, right: Float32Array, distance: Distance): number {
  let sum = 0;
  if (distance === 'euclidean') {
    for (let place = 0; place < left.length; place++) sum += ((left[place] ?? 0) - (right[place] ?? 0)) ** 2;
    return -Math.sqrt(sum);
  }
  for (let place = 0; place < left.length; place++) sum += (left[place] ?? 0) * (right[place] ?? 0);
  return sum;
}
