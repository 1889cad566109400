/** Chunk numbers that a filter selects, as rising ranges: `starts[n]` up to, but not including, `ends[n]`. */
export interface NumberRanges {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Collects ranges that come in rising order, and joins adjacent ones. */
export function joinRanges(ranges: Iterable<readonly [first: number, count: number]>): NumberRanges {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const [first, count] of ranges) {
    if (ends.length > 0 && ends.at(-1) === first) ends[ends.length - 1] = first + count;
    else {
      starts.push(first);
      ends.push(first + count);
    }
  }
  return { starts, ends };
}

/** Returns the numbers that are in these ranges, or all of them without ranges. */
export function onlyNumbers(ranges: NumberRanges | undefined, numbers: readonly number[]): NumberRanges {
  const selected = ranges === undefined ? numbers : numbers.filter((number) => isInRanges(ranges, number));
  const sorted = [...new Set(selected)].toSorted((a, b) => a - b);
  return joinRanges(sorted.map((number) => [number, 1]));
}

/** Returns true if a number is in one of the ranges. */
export function isInRanges({ starts, ends }: NumberRanges, number: number): boolean {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low > 0 && number < (ends[low - 1] ?? 0);
}
