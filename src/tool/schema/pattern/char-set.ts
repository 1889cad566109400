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

const SURROGATES = [0xd800, 0xdfff] as const;
const BLOCK = 0x400;
const MAX_KEPT = 64;

const kept = new Map<string, CharSet>();

/**
 * Lists the characters that one atom of a pattern (`\p{Letter}`, `(?i:[a-k])`) matches.
 *
 * Tests every code point with V8, so the result follows ECMAScript and the Unicode version of this process.
 */
export function enumerateSet(atom: string): CharSet {
  const known = kept.get(atom);
  if (known !== undefined) return known;
  const set = unite([...scanWellFormed(atom), scanSurrogates(atom)]);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(atom, set);
  return set;
}

function* scanWellFormed(atom: string): Generator<CharSet> {
  const runs = new RegExp(`${atom}+`, 'gu');
  for (let start = 0; start <= 0x10ffff; start += BLOCK) {
    if (start >= SURROGATES[0] && start <= SURROGATES[1]) continue;
    const block = String.fromCodePoint(...Array.from({ length: BLOCK }, (_, offset) => start + offset));
    const width = start > 0xffff ? 2 : 1;
    for (const { 0: run, index } of block.matchAll(runs)) {
      const first = start + index / width;
      yield [[first, first + run.length / width - 1]];
    }
  }
}

/** Tests surrogates one at a time: two adjacent ones would form another character. */
function scanSurrogates(atom: string): CharSet {
  const expression = new RegExp(atom, 'u');
  const [first, last] = SURROGATES;
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
    .filter((unit) => expression.test(String.fromCharCode(unit)))
    .map((unit) => [unit, unit] as const);
}
