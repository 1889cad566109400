/** The weight of each learned query beside the tool's own text. */
const LEARNED = 0.3;
/** A query this far from the tool and its other queries counts nothing: it led there by mistake. */
const ALONE = 0.2;
/** From this much more on it counts fully. */
const AGREED = 0.3;

/**
 * Moves the vector of a tool towards the queries that found it, and scales it to length 1.
 *
 * A query counts by its nearness to the tool or to another of its queries, so that one wrong call changes little.
 */
export function joinLearned(own: Float32Array, queries: readonly Float32Array[]): Float32Array {
  if (queries.length === 0) return own;
  const joined = own.map((number) => number / lengthOf(own));
  for (const query of queries) {
    const others = queries.filter((other) => other !== query);
    const nearest = Math.max(...[own, ...others].map((other) => cosine(query, other)));
    const weight = (LEARNED * Math.max(0, Math.min(1, (nearest - ALONE) / AGREED))) / lengthOf(query);
    for (let place = 0; place < joined.length; place++)
      joined[place] = (joined[place] ?? 0) + weight * (query[place] ?? 0);
  }
  const length = lengthOf(joined);
  return joined.map((number) => number / length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < one.length; place++) sum += (one[place] ?? 0) * (other[place] ?? 0);
  return sum / (lengthOf(one) * lengthOf(other));
}

/** Returns the length of a vector, or 1 for a zero vector, which has no direction. */
function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const number of vector) squares += number * number;
  return Math.sqrt(squares) || 1;
}
