/** Characters as sorted, separate ranges of code points (or UTF-16 units). */
export type CharSet = readonly (readonly [first: number, last: number])[];

/** `\d`, the same with every flag. */
export const DIGITS: CharSet = [[0x30, 0x39]];

/** `\w` without the flag `i`. */
export const WORD: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** `\s`: ECMAScript's white space and line ends. */
export const SPACE: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** The characters that `.` excludes. */
export const LINE_ENDS: CharSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** Returns all characters of several sets. */
export function unite(sets: readonly CharSet[]): CharSet {
  const sorted = sets.flat().sort((a, b) => a[0] - b[0]);
  const united: [number, number][] = [];
  for (const [first, last] of sorted) {
    const previous = united.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else united.push([first, last]);
  }
  return united;
}

/** Returns all characters up to `top` that are not in the set. */
export function complement(set: CharSet, top: number): CharSet {
  const others: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= top) others.push([next, top]);
  return others;
}

/** Returns true when two sets share a character. */
export function overlaps(a: CharSet, b: CharSet): boolean {
  let [i, j] = [0, 0];
  for (;;) {
    const [left, right] = [a[i], b[j]];
    if (left === undefined || right === undefined) return false;
    if (left[1] < right[0]) i++;
    else if (right[1] < left[0]) j++;
    else return true;
  }
}
