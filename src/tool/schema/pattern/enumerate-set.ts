import { type CharSet, unite } from './char-set.ts';

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
