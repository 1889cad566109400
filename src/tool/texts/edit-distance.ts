/** Longer words are not compared: people do not type them, and the time grows with the square of the length. */
const LONGEST = 64;
/** Rows shared by all comparisons, each one cell longer than the longest word. */
const [FIRST, SECOND, THIRD] = [new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1)];

/** Counts the letters added, removed, changed or swapped with a neighbour between two words. Returns `most + 1` if there are more. */
export function editDistance(one: string, other: string, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(one.length - other.length) > most || one.length > LONGEST || other.length > LONGEST) return tooMany;
  let [twoAgo, previous, current] = [FIRST, SECOND, THIRD];
  for (let column = 0; column <= other.length; column++) previous[column] = column;
  for (let row = 1; row <= one.length; row++) {
    const letter = one.charCodeAt(row - 1);
    let least = row;
    current[0] = row;
    for (let column = 1; column <= other.length; column++) {
      const isSame = letter === other.charCodeAt(column - 1);
      let cost = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      cost = Math.min(cost, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && letter === other.charCodeAt(column - 2)) {
        if (one.charCodeAt(row - 2) === other.charCodeAt(column - 1))
          cost = Math.min(cost, (twoAgo[column - 2] ?? 0) + 1);
      }
      current[column] = cost;
      if (cost < least) least = cost;
    }
    // Neighbouring rows differ by at most one, so no later row can be better, even with swaps.
    if (least > most) return tooMany;
    const free = twoAgo;
    twoAgo = previous;
    previous = current;
    current = free;
  }
  return Math.min(previous[other.length] ?? tooMany, tooMany);
}
