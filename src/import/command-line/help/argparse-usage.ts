import type { PageOption, PagePositional } from '../command-page.ts';
import { parseChoices, parseOption } from './parse-option.ts';

/** A line of argparse's help for an argument or a subcommand, with its description. */
export interface ArgparseEntry {
  /** The left column: `-s SIZE, --size SIZE`, `HOST`, `{draw,list}`, `list (ls)`. */
  readonly spec: string;
  readonly description: string;
  /** The entries below it: subcommands. */
  readonly below: readonly ArgparseEntry[];
}

export interface ArgparseUsage {
  /** The program and the subcommand as argparse names them. */
  readonly program: readonly string[];
  readonly positionals: readonly PagePositional[];
  readonly flags: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** Flags of which only one may be given. */
  readonly exclusive: readonly (readonly string[])[];
  readonly oneOf: readonly (readonly string[])[];
  /** The placeholder of the subcommand: `{draw,list}`, `COMMAND`. */
  readonly subcommand?: string;
}

/** Reads a usage line written by argparse; `undefined` if a person wrote it, because then it may be anything. */
export function readUsage(usage: string, { command, options, entries }: UsageContext): ArgparseUsage | undefined {
  const words = splitWords(usage);
  const hasHelp = options.some(({ flags }) => flags.includes('--help'));
  const start = hasHelp ? words.indexOf('[-h]') : command.length;
  if (start === -1) return undefined;
  const reading = new UsageReading(options, entries);
  reading.read(words.slice(start));
  return reading.isKnown ? reading.finish(words.slice(0, start)) : undefined;
}

/** Facts from the lists below a usage line. */
interface UsageContext {
  readonly command: readonly string[];
  readonly options: readonly PageOption[];
  /** Listed entries that are not options. */
  readonly entries: readonly ArgparseEntry[];
}

class UsageReading {
  readonly #options: readonly PageOption[];
  readonly #entries: readonly ArgparseEntry[];
  readonly #words: PagePositional[] = [];
  readonly #flags = new Set<string>();
  readonly #required = new Set<string>();
  readonly #exclusive: string[][] = [];
  readonly #oneOf: string[][] = [];
  #subcommand: string | undefined;
  /** True when all options of the line are listed below it, as argparse does. */
  isKnown = true;

  constructor(options: readonly PageOption[], entries: readonly ArgparseEntry[]) {
    this.#options = options;
    this.#entries = entries;
  }

  read(words: readonly string[]): void {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? '';
      if (/^[[(]-|^\(/.test(word)) this.#readGroup(word);
      else if (word.startsWith('-')) at += this.#readRequired(words.slice(at));
      else at += this.#readWord(word, words.slice(at + 1));
    }
  }

  finish(program: readonly string[]): ArgparseUsage {
    return {
      program,
      positionals: this.#words,
      flags: this.#flags,
      required: this.#required,
      exclusive: this.#exclusive,
      oneOf: this.#oneOf,
      ...(this.#subcommand === undefined ? {} : { subcommand: this.#subcommand }),
    };
  }

  #find(flag: string): PageOption | undefined {
    const found = this.#options.find(({ flags, negated }) => flags.includes(flag) || negated === flag);
    if (found === undefined) this.isKnown = false;
    else for (const one of found.flags) this.#flags.add(one);
    return found;
  }

  /** `[--size SIZE]`, `[--a | --b B]`, `(--a | --b)`, `[--header | --no-header]` */
  #readGroup(word: string): void {
    const parts = splitOutside(word.slice(1, -1), '|');
    const members = new Set<string>();
    for (const part of parts) {
      const [flag = ''] = splitWords(part);
      if (flag.startsWith('-')) members.add(this.#find(flag)?.flags[0] ?? flag);
      else {
        const values = readValues(part.replace(/^\[(.*)\]$/, '$1'));
        this.#push(values, { isRequired: false });
        members.add(wordName(values.name));
      }
    }
    const names = [...members];
    if (names.length < 2) return;
    this.#exclusive.push(names);
    if (word.startsWith('(')) this.#oneOf.push(names);
  }

  /** `--token TOKEN`, `--set X [X ...]`: the option's own entry says how many words are its values. */
  #readRequired([flag = '', ...next]: readonly string[]): number {
    const option = this.#find(flag);
    this.#required.add(option?.flags[0] ?? flag);
    if (option?.value === undefined) return 0;
    const entry = this.#entries.find(({ spec }) => spec.split(/[ ,]+/).includes(flag));
    const written = splitWords(entry?.spec.split(/, (?=-)/).at(-1) ?? '').slice(1);
    return Math.min(written.length, next.length);
  }

  /** Returns how many of the next words belong to this one. */
  #readWord(word: string, [second, third]: readonly string[]): number {
    const listed = this.#entries.find(({ spec }) => spec === word);
    if (word === '...') {
      this.#pushRest();
      return 0;
    }
    if (second === '...' && third === undefined && !this.#isRest(listed)) {
      this.#subcommand = word;
      return 1;
    }
    const isMore = second !== undefined && /^\[.*\.\.\.\]$/.test(second) && second.slice(1).startsWith(word);
    const values = readValues(isMore ? `${word} ${second}` : word);
    this.#push(values, { isRequired: values.count === 'one' || values.count === 'some' });
    return isMore ? 1 : 0;
  }

  /** True when the dots after a word mean the rest of the line: that word is listed below but not in the usage. */
  #isRest(listed: ArgparseEntry | undefined): boolean {
    return (listed === undefined || listed.below.length === 0) && this.#restEntry() !== undefined;
  }

  #restEntry(): ArgparseEntry | undefined {
    const last = this.#entries.findLast(({ spec }) => /^[A-Za-z][\w-]*$/.test(spec));
    return last === undefined || this.#words.some(({ name }) => name === last.spec) ? undefined : last;
  }

  #pushRest(): void {
    const entry = this.#restEntry();
    const name = entry?.spec ?? 'args';
    const description = entry?.description ?? '';
    this.#words.push({ name, isRequired: false, isRepeated: true, tail: true, choices: [], description });
  }

  #push({ name, count }: Values, { isRequired }: { readonly isRequired: boolean }): void {
    const choices = parseChoices(name);
    const own = choices.length > 0 ? 'value' : wordName(name);
    const entries = this.#entries.filter(({ spec }) => spec === name);
    const before = this.#words.filter((word) => word.name === own && word.choices.join(',') === choices.join(','));
    // `POINT POINT`: two values of one argument, unless it has as many entries.
    const one = before.at(-1);
    if (one !== undefined && before.length >= entries.length) {
      this.#words[this.#words.indexOf(one)] = { ...one, isRepeated: true };
      return;
    }
    this.#words.push({
      name: own,
      isRequired,
      isRepeated: count === 'any' || count === 'some',
      choices,
      description: entries[before.length]?.description ?? '',
    });
  }
}

/** `<host>` → `host`. */
function wordName(name: string): string {
  return name.replace(/^[<{](.*)[>}]$/, '$1');
}

/** The values of a flag or a positional. */
interface Values {
  readonly name: string;
  readonly count: 'one' | 'optional' | 'any' | 'some' | 'fixed' | 'rest';
}

/** Reads argparse's notation for values: `X`, `[X]`, `[X ...]`, `X [X ...]`, `X Y`, `...`. */
function readValues(text: string): Values {
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
function splitWords(text: string): string[] {
  return splitOutside(text, ' ');
}

/** Splits a text at a separator outside of brackets. */
function splitOutside(text: string, separator: ' ' | '|'): string[] {
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
