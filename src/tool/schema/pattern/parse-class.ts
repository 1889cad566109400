import { type CharSet, complement, unite } from './char-set.ts';
import { codeOf, parseCharEscape, parseSetEscape } from './parse-escape.ts';
import type { PatternCursor } from './pattern-cursor.ts';

/** One member of a class: a character, or a set such as `\d`. */
type Member = number | (() => CharSet);

/** Reads `[…]`, the bracket being read. */
export function parseClass(cursor: PatternCursor): () => CharSet {
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
    // Plain rules read the hyphen in `[\w-x]` as itself.
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
