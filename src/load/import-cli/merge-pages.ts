import type { CommandPage, PageOption } from './command-page.ts';

/** Puts two pages of one command together: the first is trusted, the second fills what it leaves open. */
export function mergePages(first: CommandPage, second: CommandPage): CommandPage {
  const either = <T>(a: readonly T[], b: readonly T[]): readonly T[] => (a.length > 0 ? a : b);
  const known = new Set(first.options.flatMap(({ flags }) => flags));
  return {
    ...first,
    summary: first.summary || second.summary,
    positionals: either(first.positionals, second.positionals),
    options: [
      ...first.options.map((option) => mergeOptions(option, second.options)),
      ...second.options.filter(({ flags }) => !flags.some((flag) => known.has(flag))),
    ],
    commands: either(first.commands, second.commands),
    examples: [...first.examples, ...second.examples],
    aliases: either(first.aliases, second.aliases),
    forms: either(first.forms, second.forms),
    borrows: either(first.borrows, second.borrows),
    isFlagsFirst: first.positionals.length > 0 ? first.isFlagsFirst : second.isFlagsFirst,
    joinsValues: first.joinsValues || second.joinsValues,
    exclusive: either(first.exclusive, second.exclusive),
    oneOf: either(first.oneOf, second.oneOf),
    sources: [...new Set([...first.sources, ...second.sources])],
  };
}

function mergeOptions(option: PageOption, others: readonly PageOption[]): PageOption {
  const other = others.find(({ flags }) => flags.some((flag) => option.flags.includes(flag)));
  if (other === undefined) return option;
  const value =
    option.value !== undefined && option.value.choices.length === 0 && other.value !== undefined
      ? { ...option.value, choices: other.value.choices }
      : (option.value ?? other.value);
  return {
    ...option,
    flags: [...new Set([...option.flags, ...other.flags])].toSorted((a, b) => b.length - a.length),
    negated: option.negated ?? other.negated,
    value,
    isRepeatable: option.isRepeatable || other.isRepeatable,
    description: option.description || other.description,
  };
}
