import { type CharSet, complement, enumerateSet, LINE_ENDS, unite } from './char-set.ts';
import { codeOf, parseCharEscape, parseSetEscape, PatternCursor } from './parse-escape.ts';
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
