import { type CharSet, unite } from './char-set.ts';
import { type PatternNode, refusePattern } from './pattern-node.ts';

/** RE2's limit for one repeat, and for nested repeats. */
const MAX_REPEAT = 1000;
const MAX_STEPS = 5000;
const SURROGATES: readonly [number, number] = [0xd800, 0xdfff];

/** The code points for surrogates of plain patterns: RE2 reads characters, plain patterns read UTF-16 units. */
const SHIFT = 0x100000;

/** Returns the error for a pattern that would make RE2's program too large, if any. */
export function stepsFault(parts: readonly { readonly node: PatternNode }[]): SyntaxError | undefined {
  const steps = parts.reduce((sum, { node }) => sum + countSteps(node), 0);
  if (steps <= MAX_STEPS) return undefined;
  return refusePattern(`a pattern whose repeats add up to more than ${MAX_STEPS} characters`);
}

function countSteps(node: PatternNode): number {
  switch (node.type) {
    case 'sequence':
      return node.items.reduce((sum, item) => sum + countSteps(item), 0);
    case 'choice':
      return node.options.reduce((sum, option) => sum + countSteps(option), 0);
    case 'repeat':
      return Math.max(1, countSteps(node.item)) * (node.max === Infinity ? node.min + 1 : node.max);
    case 'look':
      return countSteps(node.item);
    default:
      return 1;
  }
}

/** Writes a pattern without lookaheads in RE2's syntax. Spells out every set, so that both mean the same. */
export function toRe2(node: PatternNode, unicode: boolean): string {
  switch (node.type) {
    case 'set':
      return writeSet(unicode ? node.set() : shiftSurrogates(node.set()));
    case 'start':
      return '\\A';
    case 'end':
      return '\\z';
    case 'boundary':
      return node.negated ? '\\B' : '\\b';
    case 'sequence':
      return node.items.map((item) => toRe2(item, unicode)).join('');
    case 'choice':
      return `(?:${node.options.map((option) => toRe2(option, unicode)).join('|')})`;
    case 'repeat':
      return writeRepeat(`(?:${toRe2(node.item, unicode)})`, node, innerRepeats(node.item));
    case 'look':
      throw new TypeError('Lookaheads are split off before');
  }
}

/** Rewrites a text for a plain pattern: each surrogate becomes a separate character. */
export function shiftText(text: string): string {
  return text.replaceAll(/[\uD800-\uDFFF]/g, (unit) => String.fromCodePoint(SHIFT + unit.charCodeAt(0)));
}

function shiftSurrogates(set: CharSet): CharSet {
  const [low, high] = SURROGATES;
  const parts = set.flatMap(([first, last]) => [
    [first, Math.min(last, low - 1)] as const,
    [Math.max(first, low) + SHIFT, Math.min(last, high) + SHIFT] as const,
    [Math.max(first, high + 1), last] as const,
  ]);
  return unite([parts.filter(([first, last]) => first <= last)]);
}

function writeSet(set: CharSet): string {
  const hex = (code: number): string => `\\x{${code.toString(16)}}`;
  if (set.length === 0) return '[^\\x{0}-\\x{10FFFF}]';
  return `[${set.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`)).join('')}]`;
}

/** Returns the product of nested repeat counts around the innermost part of a pattern. */
function innerRepeats(node: PatternNode): number {
  switch (node.type) {
    case 'sequence':
      return Math.max(1, ...node.items.map(innerRepeats));
    case 'choice':
      return Math.max(1, ...node.options.map(innerRepeats));
    case 'repeat':
      return innerRepeats(node.item) * Math.max(1, node.max === Infinity ? node.min : node.max);
    default:
      return 1;
  }
}

/** Writes `x{2,3000}` as several consecutive repeats, each small enough for RE2. */
function writeRepeat(item: string, times: { readonly min: number; readonly max: number }, inner: number): string {
  const { min, max } = times;
  const most = Math.max(1, Math.floor(MAX_REPEAT / inner));
  if (min <= 1 && max === Infinity) return `${item}${min === 0 ? '*' : '+'}`;
  return [
    ...chunks(min, most).map((count) => `${item}{${count}}`),
    ...(max === Infinity ? [`${item}*`] : chunks(max - min, most).map((count) => `${item}{0,${count}}`)),
  ].join('');
}

function chunks(count: number, most: number): number[] {
  const full = Array.from({ length: Math.floor(count / most) }, () => most);
  return count % most === 0 ? full : [...full, count % most];
}
