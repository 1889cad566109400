import { type CharSet, complement, enumerateSet, LINE_ENDS, unite, DIGITS, SPACE, WORD } from './char-set.ts';
import { EMPTY, type PatternNode, refusePattern, sequenceOf } from './pattern-node.ts';

const MAX_DEPTH = 100;

/** Parses a pattern that V8 accepts. Throws `SyntaxError` for features that cannot run in linear time. */
export function parsePattern(source: string, unicode: boolean): PatternNode {
  return parseChoice(new PatternCursor(source, unicode), 0);
}

function parseChoice(cursor: PatternCursor, depth: number): PatternNode {
  if (depth > MAX_DEPTH) throw new SyntaxError(`groups must not be nested more than ${MAX_DEPTH} deep`);
  const options = [parseSequence(cursor, depth)];
  while (cursor.eat('|')) options.push(parseSequence(cursor, depth));
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { type: 'choice', options };
}

function parseSequence(cursor: PatternCursor, depth: number): PatternNode {
  const items: PatternNode[] = [];
  while (!cursor.done && cursor.peek() !== '|' && cursor.peek() !== ')') {
    items.push(parseQuantifier(cursor, parseAtom(cursor, depth)));
  }
  return sequenceOf(items);
}

/** Parses `*`, `+`, `?`, `{2,3}` after an atom. Lazy ones match the same texts. */
function parseQuantifier(cursor: PatternCursor, item: PatternNode): PatternNode {
  const times = readTimes(cursor);
  if (times === undefined) return item;
  cursor.eat('?');
  const [min, max] = times;
  if (max === 0) return EMPTY;
  return min === 1 && max === 1 ? item : { type: 'repeat', item, min, max };
}

function readTimes(cursor: PatternCursor): [min: number, max: number] | undefined {
  if (cursor.eat('*')) return [0, Infinity];
  if (cursor.eat('+')) return [1, Infinity];
  if (cursor.eat('?')) return [0, 1];
  const braces = cursor.take(/\{(\d+)(?:(,)(\d*))?\}/y);
  if (braces === undefined) return undefined;
  const min = Number(braces[1]);
  if (braces[2] === undefined) return [min, min];
  return [min, braces[3] === '' ? Infinity : Number(braces[3])];
}

function parseAtom(cursor: PatternCursor, depth: number): PatternNode {
  const start = cursor.index;
  const char = cursor.next();
  switch (char) {
    case '^':
      return { type: 'start' };
    case '$':
      return { type: 'end' };
    case '(':
      return parseGroup(cursor, depth);
    case '.': {
      const { dotAll, top } = cursor;
      return { type: 'set', set: () => complement(dotAll ? [] : LINE_ENDS, top) };
    }
    case '\\':
      return parseEscape(cursor, start);
    case '[':
      return setNode(cursor, start, parseClass(cursor));
    default:
      return setNode(cursor, start, () => [[codeOf(char), codeOf(char)]]);
  }
}

function parseEscape(cursor: PatternCursor, start: number): PatternNode {
  const letter = cursor.peek();
  if (letter === 'b' || letter === 'B') {
    cursor.index++;
    if (cursor.ignoreCase) throw refusePattern(`"\\${letter}" inside "(?i:"`);
    return { type: 'boundary', negated: letter === 'B' };
  }
  const reference = readReference(cursor);
  if (reference !== undefined) throw refusePattern(`the backreference "\\${reference}"`);
  const set = parseSetEscape(cursor);
  if (set !== undefined) return setNode(cursor, start, set);
  const code = parseCharEscape(cursor, false);
  return setNode(cursor, start, () => [[code, code]]);
}

function readReference(cursor: PatternCursor): string | undefined {
  const before = cursor.index;
  const digits = cursor.take(/[1-9]\d*/y)?.[0];
  if (digits !== undefined && (cursor.unicode || Number(digits) <= cursor.groups)) return digits;
  cursor.index = before;
  return cursor.unicode || cursor.hasNamedGroups ? cursor.take(/k<[^>]*>/y)?.[0] : undefined;
}

function setNode(cursor: PatternCursor, start: number, set: () => CharSet): PatternNode {
  if (!cursor.ignoreCase) return { type: 'set', set };
  if (!cursor.unicode) {
    throw refusePattern('"(?i:" in a pattern that is not valid under Unicode rules', '; write both cases, as in [Aa]');
  }
  const atom = cursor.source.slice(start, cursor.index);
  return { type: 'set', set: () => enumerateSet(`(?i:${atom})`) };
}

function parseGroup(cursor: PatternCursor, depth: number): PatternNode {
  const before = { ignoreCase: cursor.ignoreCase, dotAll: cursor.dotAll };
  if (cursor.eat('?<=') || cursor.eat('?<!')) throw refusePattern(`the lookbehind "(?<${cursor.peek(-1)}"`);
  const look = cursor.eat('?=') || cursor.eat('?!');
  const negated = look && cursor.peek(-1) === '!';
  if (cursor.eat('?<')) while (cursor.next() !== '>');
  else if (!look && cursor.eat('?')) readFlags(cursor);
  const item = parseChoice(cursor, depth + 1);
  cursor.eat(')');
  Object.assign(cursor, before);
  return look ? { type: 'look', negated, item } : item;
}

/** Parses `i-s:`, or only `:`. */
function readFlags(cursor: PatternCursor): void {
  let on = true;
  for (let flag = cursor.next(); flag !== ':' && flag !== ''; flag = cursor.next()) {
    if (flag === '-') on = false;
    else if (flag === 'i') cursor.ignoreCase = on;
    else if (flag === 's') cursor.dotAll = on;
    else throw refusePattern(`the flag "${flag}" in "(?${flag}:"`);
  }
}

/** A member of a class: a character, or a set such as `\d`. */
type Member = number | (() => CharSet);

/** Parses `[…]` after the bracket. */
function parseClass(cursor: PatternCursor): () => CharSet {
  const negated = cursor.eat('^');
  const { top } = cursor;
  const sets: (() => CharSet)[] = [];
  while (!cursor.eat(']')) {
    const first = parseMember(cursor);
    if (cursor.peek() !== '-' || cursor.peek(1) === ']') {
      sets.push(setOf(first));
      continue;
    }
    cursor.index++;
    const last = parseMember(cursor);
    if (typeof first === 'number' && typeof last === 'number') sets.push(() => [[first, last]]);
    // Plain rules read the hyphen in `[\w-x]` literally.
    else sets.push(setOf(first), setOf(codeOf('-')), setOf(last));
  }
  return () => {
    const united = unite(sets.map((set) => set()));
    return negated ? complement(united, top) : united;
  };
}

function parseMember(cursor: PatternCursor): Member {
  const char = cursor.next();
  if (char !== '\\') return codeOf(char);
  return parseSetEscape(cursor) ?? parseCharEscape(cursor, true);
}

function setOf(member: Member): () => CharSet {
  return typeof member === 'number' ? () => [[member, member]] : member;
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const SETS: Readonly<Record<string, CharSet>> = { d: DIGITS, s: SPACE, w: WORD };

/** Parses `\d`, `\W`, `\p{Letter}` and similar after the backslash; `undefined` for anything else. */
function parseSetEscape(cursor: PatternCursor): (() => CharSet) | undefined {
  const letter = cursor.peek();
  const set = SETS[letter.toLowerCase()];
  if (set !== undefined) {
    cursor.index++;
    const { top } = cursor;
    return () => (letter === letter.toLowerCase() ? set : complement(set, top));
  }
  if (!cursor.unicode || (letter !== 'p' && letter !== 'P')) return undefined;
  const name = cursor.take(/[pP]\{[^}]*\}/y)?.[0] ?? '';
  return () => enumerateSet(`\\${name}`);
}

/** Parses an escape of one character after the backslash and returns its code. */
function parseCharEscape(cursor: PatternCursor, inClass: boolean): number {
  const letter = cursor.next();
  const control = CONTROLS[letter];
  if (control !== undefined) return control;
  if (letter === 'b' && inClass) return 8;
  if (letter === 'c') return controlCode(cursor, inClass);
  if (letter === 'x') return hexCode(cursor.take(/[\dA-Fa-f]{2}/y)?.[0]) ?? codeOf(letter);
  if (letter === 'u') return unicodeCode(cursor) ?? codeOf(letter);
  if (/[0-7]/.test(letter)) {
    cursor.index--;
    return Number.parseInt(cursor.take(/[0-3][0-7]{0,2}|[4-7][0-7]?/y)?.[0] ?? '0', 8);
  }
  return codeOf(letter);
}

/** Parses `\cJ`. With plain rules, `\c` before anything else is a backslash and a `c`. */
function controlCode(cursor: PatternCursor, inClass: boolean): number {
  const letter = cursor.take(inClass && !cursor.unicode ? /\w/y : /[A-Za-z]/y)?.[0];
  if (letter !== undefined) return codeOf(letter) % 32;
  cursor.index--;
  return codeOf('\\');
}

function unicodeCode(cursor: PatternCursor): number | undefined {
  if (cursor.unicode) {
    const braced = cursor.take(/\{([\dA-Fa-f]+)\}/y)?.[1];
    if (braced !== undefined) return hexCode(braced);
    const pair = cursor.take(/([Dd][89ABab][\dA-Fa-f]{2})\\u([Dd][C-Fc-f][\dA-Fa-f]{2})/y);
    if (pair !== undefined) {
      return String.fromCharCode(hexCode(pair[1]) ?? 0, hexCode(pair[2]) ?? 0).codePointAt(0);
    }
  }
  return hexCode(cursor.take(/[\dA-Fa-f]{4}/y)?.[0]);
}

function hexCode(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** A position in a pattern that V8 accepts, and the rules for parsing it. */
class PatternCursor {
  readonly source: string;
  readonly unicode: boolean;
  /** Number of capturing groups: with plain rules, `\2` is a reference only if there are two. */
  readonly groups: number;
  readonly hasNamedGroups: boolean;
  index = 0;
  /** The inline flags at this position. */
  ignoreCase = false;
  dotAll = false;

  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
    // The empty alternative comes first, so that the pattern itself does not run.
    const match = new RegExp(`|${source}`, unicode ? 'u' : '').exec('');
    this.groups = (match?.length ?? 1) - 1;
    this.hasNamedGroups = match?.groups !== undefined;
  }

  /** The highest character code. */
  get top(): number {
    return this.unicode ? 0x10ffff : 0xffff;
  }

  get done(): boolean {
    return this.index >= this.source.length;
  }

  peek(offset = 0): string {
    return this.source.charAt(this.index + offset);
  }

  /** Reads one character with Unicode rules, one UTF-16 unit with plain ones. */
  next(): string {
    const code = this.unicode ? this.source.codePointAt(this.index) : undefined;
    const char = code === undefined ? this.peek() : String.fromCodePoint(code);
    this.index += char.length;
    return char;
  }

  /** Skips a text if it is next. */
  eat(text: string): boolean {
    if (!this.source.startsWith(text, this.index)) return false;
    this.index += text.length;
    return true;
  }

  /** Skips the match of a sticky expression and returns its groups. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const match = expression.exec(this.source);
    if (match === null) return undefined;
    this.index += match[0].length;
    return match;
  }
}
