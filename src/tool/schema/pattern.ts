import type { RE2JS } from 're2js';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { isDeterministic } from './pattern/is-deterministic.ts';
import { parsePattern } from './pattern/parse-pattern.ts';
import { type PatternNode, type PatternPart, sequenceOf, splitLooks } from './pattern/pattern-node.ts';
import { shiftText, stepsFault, toRe2 } from './pattern/to-re2.ts';

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
