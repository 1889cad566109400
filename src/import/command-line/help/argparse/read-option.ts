import type { PageOption } from '../../command-page.ts';
import { parseOption } from '../parse-option.ts';
import type { ArgparseEntry } from './read-entries.ts';

/** The values of a flag or a positional. */
export interface Values {
  /** The name of the first. */
  readonly name: string;
  readonly count: 'one' | 'optional' | 'any' | 'some' | 'fixed' | 'rest';
}

/** Reads argparse's notation for values: `X`, `[X]`, `[X ...]`, `X [X ...]`, `X Y`, `...`. */
export function readValues(text: string): Values {
  const words = splitWords(text);
  const [first = '', second] = words;
  if (first === '...') return { name: 'args', count: 'rest' };
  if (first.startsWith('[') && words.length === 1) {
    const [name = '', ...more] = splitWords(first.slice(1, -1));
    return { name, count: more.length === 0 ? 'optional' : 'any' };
  }
  if (second === undefined) return { name: first, count: 'one' };
  return { name: first, count: /^\[.* ?\.\.\.\]$|^\.\.\.$/.test(second) ? 'some' : 'fixed' };
}

/** Reads an option from its entry; `undefined` for other entries. */
export function readOption({ spec, description }: ArgparseEntry): PageOption | undefined {
  if (!spec.startsWith('-')) return undefined;
  const parts = spec.split(/, (?=-)/).map((part) => /^(\S+)(?: (.*))?$/.exec(part) ?? []);
  const flags = parts.flatMap(([, flag]) => flag ?? []);
  // `-s , --size`: a value without a name (`metavar=""`).
  const found = parts.findLast(([, , value]) => value !== undefined)?.[2];
  const written = found === '' ? (flags.at(-1) ?? '').replace(/^-+/, '') : found;
  if (written === undefined) return parseOption(flags.join(', '), description);
  const values = readValues(written);
  const name = /^\{.*\}$/s.test(values.name) ? values.name : `<${values.name.replaceAll(/[<>]/g, '')}>`;
  const option = parseOption([...flags.slice(0, -1), `${flags.at(-1)} ${name}`].join(', '), description);
  if (option?.value === undefined) return option;
  const value = { ...option.value, isOptional: values.count === 'optional' };
  switch (values.count) {
    case 'one':
    case 'optional':
      return { ...option, value };
    case 'fixed':
      return { ...option, value, isCompound: true };
    default:
      // If the flag is repeated, only the last list counts: all values go after one flag.
      return { ...option, value, isRepeatable: true, isSpread: true };
  }
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };

/** Splits a usage line of argparse at spaces outside of brackets. */
export function splitWords(text: string): string[] {
  return splitOutside(text, ' ');
}

/** Splits a text at a separator outside of brackets. */
export function splitOutside(text: string, separator: ' ' | '|'): string[] {
  const words: string[] = [];
  const open: string[] = [];
  let word = '';
  for (const character of text) {
    if (open.length === 0 && character === separator) {
      words.push(word);
      word = '';
      continue;
    }
    const close = CLOSING[character];
    if (close !== undefined) open.push(close);
    else if (open.at(-1) === character) open.pop();
    word += character;
  }
  return [...words, word].map((part) => part.trim()).filter((part) => part !== '');
}
