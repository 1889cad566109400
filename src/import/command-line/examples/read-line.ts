import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';

/** A command line split into options and words. */
export interface ReadLine {
  /** Options in order; the value is `undefined` for switches and `false` for their opposites. */
  readonly options: readonly { readonly option: PageOption; readonly value: string | false | undefined }[];
  readonly words: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[] | undefined;
}

/** Splits a command line, without the command's own words; `undefined` if an option is unknown. */
export function readLine(page: CommandPage, tokens: readonly string[]): ReadLine | undefined {
  const options: { option: PageOption; value: string | false | undefined }[] = [];
  const words: string[] = [];
  const places = page.positionals.filter(({ tail }) => tail === undefined);
  const hasTail = page.positionals.some(({ tail }) => tail === true);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (token === '--') return { options, words, rest: tokens.slice(at + 1) };
    // After its own positionals, everything belongs to the other command line.
    const isOther = hasTail && words.length >= places.length;
    if (!/^-./.test(token) || isOther || /^-\d/.test(token)) {
      words.push(token);
      if (isOther) return { options, words: [...words, ...tokens.slice(at + 1)], rest: undefined };
      continue;
    }
    const found = findOption(page, token, tokens.slice(at + 1));
    if (found === undefined) return undefined;
    options.push(...found.given);
    at += found.taken;
  }
  return { options, words, rest: undefined };
}

interface Found {
  readonly given: ReadLine['options'];
  /** Further tokens that belong to it. */
  readonly taken: number;
}

function findOption({ options }: CommandPage, token: string, following: readonly string[]): Found | undefined {
  const [next] = following;
  const negated = options.find((option) => option.negated === token);
  if (negated !== undefined) return { given: [{ option: negated, value: false }], taken: 0 };
  const own = options.find(({ flags }) => flags.includes(token));
  if (own !== undefined) {
    // `--rm false`: the author took it for an option with a value.
    if (own.value === undefined && /^(?:true|false)$/.test(next ?? '')) return undefined;
    if (own.value === undefined) return { given: [{ option: own, value: undefined }], taken: 0 };
    if (own.value.isOptional) return undefined;
    if (own.value.isPairSeparate === true) {
      const [key, value] = following;
      return value === undefined ? undefined : { given: [{ option: own, value: `${key}=${value}` }], taken: 2 };
    }
    if (own.isSpread === true) {
      const end = following.findIndex((word) => word.startsWith('-'));
      const values = end === -1 ? following : following.slice(0, end);
      return { given: values.map((value) => ({ option: own, value })), taken: values.length };
    }
    return next === undefined ? undefined : { given: [{ option: own, value: next }], taken: 1 };
  }
  const equals = token.indexOf('=');
  if (equals > 0) {
    const option =
      options.find(({ flags }) => flags.includes(token.slice(0, equals + 1))) ??
      options.find(({ flags }) => flags.includes(token.slice(0, equals)));
    const text = token.slice(equals + 1);
    if (option?.value !== undefined) return { given: [{ option, value: text }], taken: 0 };
    if (option !== undefined) {
      return text === 'true' ? { given: [{ option, value: undefined }], taken: 0 } : undefined;
    }
  }
  // If single-dash options are whole words, letters are not combined.
  const hasWords = options.some(({ flags }) => flags.some((flag) => /^-[A-Za-z]{2}/.test(flag)));
  return token.startsWith('--') || hasWords ? undefined : readBundle(options, token.slice(1), next);
}

/** `-it`, `-p80`: short options in one word. */
function readBundle(options: readonly PageOption[], letters: string, next: string | undefined): Found | undefined {
  const given: { option: PageOption; value: string | undefined }[] = [];
  for (let at = 0; at < letters.length; at++) {
    const option = options.find(({ flags }) => flags.includes(`-${letters[at]}`));
    if (option === undefined) return undefined;
    if (option.value === undefined) {
      given.push({ option, value: undefined });
      continue;
    }
    const close = letters.slice(at + 1);
    if (close !== '') return { given: [...given, { option, value: close }], taken: 0 };
    return next === undefined ? undefined : { given: [...given, { option, value: next }], taken: 1 };
  }
  return { given, taken: 0 };
}

/** Returns the words of an example after the command's own; `undefined` if it shows another command or several. */
export function exampleTokens({ command, aliases }: CommandPage, line: string): string[] | undefined {
  const tokens = splitLine(line);
  if (tokens === undefined) return undefined;
  const names = [command, ...aliases].map(([program = '', ...rest]) => [program.split('/').at(-1) ?? program, ...rest]);
  const own = names.find((words) => words.every((word, index) => tokens[index] === word));
  return own === undefined ? undefined : tokens.slice(own.length);
}

/** Characters with a meaning only in a shell: pipes, redirections, variables, placeholders, several commands. */
const SHELL = /[|&;<>$`*~#!\\\n{}()]/;

/** Splits a command line like a shell; `undefined` if it does more than call one command. */
function splitLine(line: string): string[] | undefined {
  const words: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (const character of line.trim()) {
    if (quote !== '') {
      if (character === quote) quote = '';
      // A shell expands variables in double quotes.
      else if (quote === '"' && /[$`\\]/.test(character)) return undefined;
      else current = `${current ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= '';
    } else if (/\s/.test(character)) {
      if (current !== undefined) words.push(current);
      current = undefined;
    } else if (SHELL.test(character)) return undefined;
    else current = `${current ?? ''}${character}`;
  }
  if (quote !== '') return undefined;
  return current === undefined ? words : [...words, current];
}

/** `key=value`, or `key-`, which removes a key. */
const PAIR = /=|\w-$/;

/** Assigns each word of a command line to a positional of its page. Pairs go to the positional for pairs. */
export function assignWords(places: readonly PagePositional[], words: readonly string[]): readonly number[] {
  let next = 0;
  return words.map((word) => {
    while (belongsLater(places, next, word)) next++;
    const at = Math.min(next, places.length - 1);
    next++;
    return at;
  });
}

/** True when a word belongs to a later positional: `a=b` of `[NAME] KEY=VALUE...`. */
export function belongsLater(places: readonly PagePositional[], at: number, word: string): boolean {
  const isPair = (name = ''): boolean => name.includes('=');
  return (
    PAIR.test(word) &&
    at < places.length &&
    !isPair(places[at]?.name) &&
    places.slice(at + 1).some(({ name }) => isPair(name))
  );
}
