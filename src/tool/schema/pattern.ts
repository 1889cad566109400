import type { RE2JS } from 're2js';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { type CharSet, unite } from './pattern/char-set.ts';
import { isDeterministic } from './pattern/is-deterministic.ts';
import { parsePattern } from './pattern/parse-pattern.ts';
import { type PatternNode, type PatternPart, refusePattern, sequenceOf, splitLooks } from './pattern/pattern-node.ts';

/** Returns true when a pattern matches anywhere in a text. */
export type PatternTest = (text: string) => boolean;

export interface PatternOptions {
  /** The whole text must match, as if the pattern stood between `^` and `$`. */
  readonly whole?: boolean;
}

const MAX_LENGTH = 10_000;

/**
 * Compiles an ECMAScript pattern, with Unicode rules if they accept it.
 *
 * Matching takes linear time: V8 runs patterns that cannot make it backtrack, RE2 the others. Throws `SyntaxError` for an invalid pattern
 * and for features that linear time excludes: backreferences, lookbehinds, and lookaheads except right after the first `^`.
 */
export function compilePattern(source: string, options: PatternOptions = {}): PatternTest {
  const { unicode, parts, safe } = readPattern(source, options);
  if (safe()) {
    const expression = new RegExp(options.whole === true ? `^(?:${source})$` : source, unicode ? 'u' : '');
    return (text) => {
      try {
        return expression.test(text);
      } catch {
        // V8 keeps one step per round of a group, and its stack overflows on texts of many megabytes.
        return runLinear(parts[0].node, unicode)(text);
      }
    };
  }
  const tests = parts.map(({ node, negated }) => ({ test: runLinear(node, unicode), negated }));
  return (text) => {
    if (text.length > MAX_LINEAR_TEXT)
      throw new Error(
        `a text of more than ${MAX_LINEAR_TEXT.toLocaleString('en-US')} characters is not compared with a pattern that may match in many ways`,
      );
    return tests.every(({ test, negated }) => test(text) !== negated);
  };
}

/** Returns the fault of a pattern, or `undefined` when it compiles. */
export function patternFault(source: string): string | undefined {
  try {
    readPattern(source, {});
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
  }
}

/** A parsed pattern, as one test or several. */
interface ReadPattern {
  readonly unicode: boolean;
  readonly parts: readonly [PatternPart, ...PatternPart[]];
  /** Returns true when V8 may run it. */
  readonly safe: () => boolean;
}

function readPattern(source: string, { whole = false }: PatternOptions): ReadPattern {
  const unicode = checkSyntax(source);
  const tree = parsePattern(source, unicode);
  const parts = splitLooks(whole ? sequenceOf([{ type: 'start' }, tree, { type: 'end' }]) : tree);
  const safe = (): boolean => parts.length === 1 && isDeterministic(parts[0].node);
  const fault = stepsFault(parts);
  if (fault !== undefined && !safe()) throw fault;
  return { unicode, parts, safe };
}

/** Returns true when a pattern is valid with Unicode rules, false when only with plain ones. */
function checkSyntax(source: string): boolean {
  if (source.length > MAX_LENGTH) throw new SyntaxError(`a pattern must not be longer than ${MAX_LENGTH} characters`);
  try {
    void new RegExp(source, 'u');
    return true;
  } catch {
    void new RegExp(source);
    return false;
  }
}

/** Maximum characters of a text for RE2, which takes some hundred nanoseconds for each. */
const MAX_LINEAR_TEXT = 100_000;

/** Runs a pattern with RE2. The first text loads the library and compiles the pattern. */
export function runLinear(node: PatternNode, unicode: boolean): (text: string) => boolean {
  let program: RE2JS | undefined;
  return (text) => {
    program ??= compile(node, unicode);
    return program.test(unicode ? text : shiftText(text));
  };
}

function compile(node: PatternNode, unicode: boolean): RE2JS {
  // The exports of the package.
  const library = loadPeer('re2js', 'A pattern that must run in linear time') as { readonly RE2JS: typeof RE2JS };
  return library.RE2JS.compile(toRe2(node, unicode));
}

/** RE2's limit for one repeat, and for nested repeats. */
const MAX_REPEAT = 1000;
const MAX_STEPS = 5000;
const SURROGATES: readonly [number, number] = [0xd800, 0xdfff];

/** The code points for surrogates of plain patterns: RE2 reads characters, plain patterns read UTF-16 units. */
const SHIFT = 0x100000;

/** Returns the error for a pattern that would make RE2's program too large, if any. */
function stepsFault(parts: readonly { readonly node: PatternNode }[]): SyntaxError | undefined {
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
function toRe2(node: PatternNode, unicode: boolean): string {
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
function shiftText(text: string): string {
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
