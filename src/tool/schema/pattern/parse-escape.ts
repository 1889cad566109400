import { type CharSet, complement, DIGITS, SPACE, WORD } from './char-set.ts';
import { enumerateSet } from './enumerate-set.ts';
import type { PatternCursor } from './pattern-cursor.ts';

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
