import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';

/** A command line taken apart by what is known about the command. */
export interface ReadLine {
  /** Options in their order; the value is `undefined` for those without, `false` for the contrary of one. */
  readonly options: readonly { readonly option: PageOption; readonly value: string | false | undefined }[];
  readonly words: readonly string[];
  /** The words behind `--`. */
  readonly rest: readonly string[] | undefined;
}

/** Takes a command line behind the command's own words apart; `undefined` where an option is not known. */
export function readLine(page: CommandPage, tokens: readonly string[]): ReadLine | undefined {
  const options: { option: PageOption; value: string | false | undefined }[] = [];
  const words: string[] = [];
  const places = page.positionals.filter(({ tail }) => tail === undefined);
  const hasTail = page.positionals.some(({ tail }) => tail === true);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (token === '--') return { options, words, rest: tokens.slice(at + 1) };
    // Behind the words of its own everything belongs to the other command line.
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
    // `--rm false`: the one who wrote this took it for an option with a value.
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
  // Where one dash begins whole words, letters are not written together.
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

/** The words of an example behind the command's own; `undefined` where it shows another command or more than one. */
export function exampleTokens({ command, aliases }: CommandPage, line: string): string[] | undefined {
  const tokens = splitLine(line);
  if (tokens === undefined) return undefined;
  const names = [command, ...aliases].map(([program = '', ...rest]) => [program.split('/').at(-1) ?? program, ...rest]);
  const own = names.find((words) => words.every((word, index) => tokens[index] === word));
  return own === undefined ? undefined : tokens.slice(own.length);
}

/** Characters that only a shell would understand: pipes, redirections, variables, placeholders, several commands. */
const SHELL = /[|&;<>$`*~#!\\\n{}()]/;

/** The words of a command line as a shell would cut it; `undefined` for one that does more than call one command. */
function splitLine(line: string): string[] | undefined {
  const words: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (const character of line.trim()) {
    if (quote !== '') {
      if (character === quote) quote = '';
      // In double quotes a shell still fills in variables.
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

/** `key=value`, or `key-`, which takes a key away. */
const PAIR = /=|\w-$/;

/** The place of each word of a command line among the words that its page names. A pair is for the word that is called so. */
export function assignWords(places: readonly PagePositional[], words: readonly string[]): readonly number[] {
  let next = 0;
  return words.map((word) => {
    while (isForLater(places, next, word)) next++;
    const at = Math.min(next, places.length - 1);
    next++;
    return at;
  });
}

/** True when a word belongs to a later place than this one: `a=b` of `[NAME] KEY=VALUE...`. */
export function isForLater(places: readonly PagePositional[], at: number, word: string): boolean {
  const isPair = (name = ''): boolean => name.includes('=');
  return (
    PAIR.test(word) &&
    at < places.length &&
    !isPair(places[at]?.name) &&
    places.slice(at + 1).some(({ name }) => isPair(name))
  );
}
