import { findFact, knownOf } from '../packs/knowledge.ts';
import type { CommandPage, PageOption, PagePositional } from './command-page.ts';
import { parseOption } from './help/parse-option.ts';

/** Corrects errors in the pages of well-known commands, and adds missing facts. */
export function correctPage(page: CommandPage): CommandPage {
  const { command } = page;
  const [program = '', ...below] = command;
  const positionals = page.positionals.filter(({ name }) => findFact(command, 'omit', { words: [name] }) !== true);
  const listed = page.options.filter(({ flags }) => findFact(command, 'omit', { flags }) !== true);
  const known = new Set(listed.flatMap(({ flags }) => flags));
  const further = (below.length === 0 ? knownOf(program, 'options') : undefined) ?? [];
  return {
    ...page,
    isFlagsFirst: page.isFlagsFirst && knownOf(program, 'flags_first') !== false,
    positionals: positionals.map((word) => {
      const names = { words: [word.name], values: [word.name] };
      return {
        ...word,
        name: findFact(command, 'name', names) ?? word.name,
        description: describeMixed(word, listed),
        isRequired: word.isRequired && findFact(command, 'required', names) !== false,
        pattern: findFact(command, 'pattern', names) ?? word.pattern,
      };
    }),
    options: [
      ...listed.map((option) => correctOption(option, { command, positionals })),
      ...further
        .flatMap(([spec, description]) => parseOption(spec, description) ?? [])
        .filter(({ flags }) => !flags.some((flag) => known.has(flag))),
    ],
  };
}

function correctOption(option: PageOption, page: Pick<CommandPage, 'command' | 'positionals'>): PageOption {
  const { flags, value } = option;
  const names = { flags, values: value === undefined ? [] : [value.name] };
  const text = findFact(page.command, 'text', names);
  return {
    ...option,
    name: findFact(page.command, 'name', names) ?? option.name,
    isRepeatable: option.isRepeatable || findFact(page.command, 'repeatable', names) === true,
    value: takesNextWord(option, page.positionals)
      ? undefined
      : value && {
          ...value,
          ...(text === undefined ? {} : { name: text, type: 'string', choices: [] }),
          pattern: findFact(page.command, 'pattern', names) ?? value.pattern,
        },
  };
}

/** `git update-ref -d <refname>`: true when the word after a letter in the usage is a positional, and the letter a switch. */
function takesNextWord({ flags, value, description }: PageOption, words: readonly PagePositional[]): boolean {
  if (value === undefined || description === '' || !flags.every((flag) => /^-[A-Za-z]$/.test(flag))) return false;
  const name = value.name.toLowerCase();
  const isWord = words.some((word) => word.name.toLowerCase().startsWith(name));
  return (
    name.length > 2 &&
    isWord &&
    !description
      .toLowerCase()
      .split(/[^a-z-]+/)
      .includes(name)
  );
}

/** `jq --args FILTER a b`: describes positionals that an option turns into something other than files. */
function describeMixed({ name, description }: PagePositional, options: readonly PageOption[]): string {
  if (description !== '' || !/^files?$/i.test(name)) return description;
  const others = options.filter(({ description: text }) => /\bremaining arguments are\b.*\bnot files\b/i.test(text));
  const flags = others.map(({ flags: [flag = ''] }) => flag.replace(/^-+/, ''));
  return flags.length === 0 ? '' : `Files; with ${flags.join(' or ')}, the values it speaks of`;
}
