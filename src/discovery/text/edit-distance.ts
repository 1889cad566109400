/** Letters added, left out, changed or swapped with their neighbour between two words; `most + 1` when it is more. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let twoAgo: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const change = one[row - 1] === other[column - 1] ? 0 : 1;
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + change,
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        best = Math.min(best, (twoAgo[column - 2] ?? 0) + 1);
      }
      current.push(best);
      least = Math.min(least, best);
    }
    if (least > most) return most + 1;
    twoAgo = previous;
    previous = current;
  }
  return Math.min(previous[other.length] ?? 0, most + 1);
}
