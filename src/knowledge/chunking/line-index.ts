import type { LineRange } from '../vector-store.ts';

/** Tells the lines of places in a text. */
export function createLineIndex(text: string): (start: number, end: number) => LineRange {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineOf = (at: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  return (start, end) => ({ from: lineOf(start), to: lineOf(Math.max(start, end - 1)) });
}
