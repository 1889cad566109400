import { inOrder } from './help/parse-option.ts';
import type { CommandPage, PageCommand, PageOption, PagePositional } from './command-page.ts';

/** Merges two pages of one command: the first is trusted, the second fills its gaps. */
export function mergePages(first: CommandPage, second: CommandPage): CommandPage {
  const either = <T>(a: readonly T[], b: readonly T[]): readonly T[] => (a.length > 0 ? a : b);
  // If one page has subcommands, `[command]` on the other stands for them.
  const hasCommands = first.commands.length + second.commands.length > 0;
  const isCommandWord = (name: string): boolean => hasCommands && /^(?:sub)?command$/i.test(name);
  return {
    ...first,
    summary: first.summary || second.summary,
    details: longer(first.details, second.details),
    positionals: mergeWords(first, second).filter(({ name }) => !isCommandWord(name)),
    options: mergeAll(first.options, second.options),
    commands: mergeCommands(first.commands, second.commands),
    examples: [...first.examples, ...second.examples],
    purposes: [...(first.purposes ?? []), ...(second.purposes ?? [])],
    aliases: either(first.aliases, second.aliases),
    forms: either(first.forms, second.forms),
    borrows: either(first.borrows, second.borrows),
    isFlagsFirst: first.positionals.length > 0 ? first.isFlagsFirst : second.isFlagsFirst,
    joinsValues: first.joinsValues || second.joinsValues,
    hasSeparator: first.hasSeparator === true || second.hasSeparator === true,
    variables: [...new Set([...(first.variables ?? []), ...(second.variables ?? [])])],
    readsInput: first.readsInput === true || second.readsInput === true,
    exclusive: either(first.exclusive, second.exclusive),
    oneOf: either(first.oneOf, second.oneOf),
    sources: [...new Set([...first.sources, ...second.sources])],
  };
}

/** Returns the first list, extended by the second. */
function mergeCommands(first: readonly PageCommand[], second: readonly PageCommand[]): readonly PageCommand[] {
  if (first.length === 0) return second;
  const others = new Map(second.map((command) => [command.name, command]));
  return first.map((command) => {
    const other = others.get(command.name);
    if (other === undefined) return command;
    return { ...command, details: longer(command.details, other.details ?? other.description) };
  });
}

function longer(one = '', other = ''): string {
  return other.length > one.length ? other : one;
}

/** Merges both lists: options of the first completed by the second, then those that only the second has. */
function mergeAll(first: readonly PageOption[], second: readonly PageOption[]): PageOption[] {
  const matches = new Map<PageOption, PageOption>();
  for (const shares of [sharesLong, sharesLetter]) {
    const known = new Set(matches.values());
    for (const other of second) {
      const same = known.has(other) ? undefined : first.find((option) => shares(option, other));
      if (same !== undefined && !matches.has(same)) matches.set(same, other);
    }
  }
  const known = new Set(matches.values());
  const merged = first.map((option) => mergeOptions(option, matches.get(option)));
  const taken = new Set(merged.flatMap(({ flags }) => flags));
  const further = second
    .filter((other) => !known.has(other))
    // A letter that the first page gives to another option belongs to that one.
    .map((other) => ({ ...other, flags: other.flags.filter((flag) => !taken.has(flag)) }))
    .filter(({ flags }) => flags.length > 0);
  const all = [...merged, ...further];
  const negations = new Set(all.flatMap(({ negated }) => negated ?? []));
  // `--[no-]verify` includes `--no-verify`.
  return all.filter(({ flags: [flag = ''], value }) => value !== undefined || !negations.has(flag));
}

function isLong(flag: string): boolean {
  return flag.startsWith('--');
}

function sharesLong(one: PageOption, other: PageOption): boolean {
  return one.flags.some((flag) => isLong(flag) && other.flags.includes(flag));
}

/** A letter identifies an option only if one of the pages has no long spelling for it. */
function sharesLetter(one: PageOption, other: PageOption): boolean {
  const isShort = !one.flags.some(isLong) || !other.flags.some(isLong);
  return isShort && one.flags.some((flag) => other.flags.includes(flag));
}

/**
 * Returns the positionals of the first page, unless its forms are special. A positional that is optional on one page is optional.
 */
function mergeWords(first: CommandPage, second: CommandPage): readonly PagePositional[] {
  const [base, other] = first.isSpecial === true && second.positionals.length > 0 ? [second, first] : [first, second];
  if (base.positionals.length === 0) return other.positionals;
  return base.positionals.map((word) => {
    const same = other.positionals.find(({ name }) => isSameName(name, word.name));
    if (same === undefined) return word;
    const isRequired = word.isRequired && (same.isRequired || other.isSpecial === true);
    // `<url>` on one page and `URLs` on the other: several.
    const isSeveral = word.name.length !== same.name.length;
    const isRepeated = word.isRepeated || same.isRepeated || isSeveral;
    return { ...word, isRequired, isRepeated, tail: word.tail ?? same.tail };
  });
}

/** `url` and `URLs` are one word. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase().replace(/s$/, '') === other.toLowerCase().replace(/s$/, '');
}

function mergeOptions(option: PageOption, other: PageOption | undefined): PageOption {
  if (other === undefined) return option;
  // `-hide_banner hide_banner`: not a value, only the name repeated.
  const isEcho = other.value === undefined && option.flags.includes(`-${option.value?.name ?? ''}`);
  const value = isEcho ? undefined : (option.value ?? other.value);
  return {
    ...option,
    flags: inOrder([...new Set([...option.flags, ...other.flags])]),
    negated: value === undefined ? (option.negated ?? other.negated) : undefined,
    value: value && {
      ...value,
      choices: value.choices.length === 0 ? (other.value?.choices ?? []) : value.choices,
      isPair: value.isPair || other.value?.isPair === true,
      // If either page writes one word, the command accepts that.
      isJoined: value.isJoined || other.value?.isJoined === true,
    },
    isRepeatable: option.isRepeatable || other.isRepeatable,
    isRequired: option.isRequired || other.isRequired,
    description: option.description || other.description,
    // `loop count` may be one name with a space: the other page decides.
    isCompound: option.isCompound && (other.isCompound || other.value === undefined),
    isSpread: option.isSpread ?? other.isSpread,
    hasSpecifier: option.hasSpecifier ?? other.hasSpecifier,
    mayTakeValue: value === undefined ? mayTakeValue(option, other) : undefined,
    // A manual states it for each option, help for a list of them.
    places: other.places ?? option.places,
  };
}

/** A page that shows all values decides; otherwise one page that mentions a value is enough for doubt. */
function mayTakeValue({ mayTakeValue: one }: PageOption, { mayTakeValue: other }: PageOption): boolean | undefined {
  return one === false || other === false ? false : one === true || other === true ? true : undefined;
}
