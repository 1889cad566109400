import { type CharSet, complement, DIGITS, enumerateSet, SPACE, WORD } from './char-set.ts';

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const SETS: Readonly<Record<string, CharSet>> = { d: DIGITS, s: SPACE, w: WORD };

/** Parses `\d`, `\W`, `\p{Letter}` and similar after the backslash; `undefined` for anything else. */
export function parseSetEscape(cursor: PatternCursor): (() => CharSet) | undefined {
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
export function parseCharEscape(cursor: PatternCursor, inClass: boolean): number {
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

export function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** A position in a pattern that V8 accepts, and the rules for parsing it. */
export class PatternCursor {
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
