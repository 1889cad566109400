import { findFact, knownOf, matches } from '../packs/knowledge.ts';
import type { CommandPage, OptionValue, PageOption, PagePositional } from './command-page.ts';
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

/** Returns a page whose options can be arguments, in command line order. */
export function expandPage(page: CommandPage): CommandPage {
  const { options } = page;
  const isByFile = options.some((option) => option.places?.includes('input') === true);
  const arranged = isByFile ? arrangeByFile(options) : options;
  // Without subcommands, global options are ordinary ones.
  const placed = page.command.length > 1 ? arranged : arranged.map((option) => ({ ...option, global: undefined }));
  // If one flag became two arguments, an example does not show which of them it uses.
  return { ...page, options: placed.flatMap(expandOption), examples: isByFile ? [] : page.examples };
}

function expandOption(option: PageOption): PageOption[] {
  const { value, isCompound } = option;
  const [flag = ''] = option.flags;
  // ffmpeg's help marks options of its libraries this way.
  const hasSpecifier = option.hasSpecifier === true || option.description.includes(`(please use ${flag}:`);
  if (value === undefined) return [option];
  if (isCompound) return [severalValues(option, value)];
  if (hasSpecifier && !value.isPair) return [option, bySpecifier(option, value)];
  return value.isOptional ? withAndWithout(option, value) : [option];
}

/** Rewrites an option with a key and a value, or with several values. */
function severalValues(option: PageOption, value: OptionValue): PageOption {
  if (!matches('key_name', value.name)) return { ...option, isCompound: false, isRepeatable: true, isSpread: true };
  return { ...option, isCompound: false, value: { ...value, isPair: true, isPairSeparate: true, choices: [] } };
}

/** `-c:v libx264`: the flag with its specifier as a key. */
function bySpecifier(option: PageOption, value: OptionValue): PageOption {
  const [flag = ''] = option.flags;
  const description = `As ${flag}, for some streams: v (video), a (audio), s (subtitles), v:0. ${option.description}`;
  return {
    ...option,
    flags: [`${flag}:`],
    name: `${option.name ?? flag.replace(/^-+/, '')}_by_stream`,
    description,
    isRequired: false,
    value: { ...value, isPair: true, isPairSeparate: true, choices: [] },
  };
}

/** `--stat[=<width>]`: a switch, and an option with a value. */
function withAndWithout(option: PageOption, value: OptionValue): PageOption[] {
  const [flag = ''] = option.flags;
  const bare = {
    ...option,
    value: undefined,
    isRepeatable: false,
    isRequired: false,
    // `--sort [KEY]` as two words: a word after the flag would be its value.
    ...(value.isJoined ? {} : { takesNextWord: true as const }),
  };
  // `-u<mode>` without a long spelling would need a value attached without `=`.
  if (!flag.startsWith('--')) return [bare];
  const word = value.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const own = flag.replace(/^-+/, '');
  // `--sort [SORT]`: the name of the value adds nothing.
  const isPlain = word === '' || word.length > 20 || word === own.toLowerCase().replaceAll('-', '_');
  const name = `${own}_${isPlain ? 'value' : word}`;
  const valued = { ...value, isOptional: false, isJoined: true };
  return [bare, { ...option, flags: [`${flag}=`], name, negated: undefined, value: valued, isRepeatable: false }];
}

/** Options come before the file they apply to: global ones, those of inputs, the inputs, those of outputs. */
function arrangeByFile(options: readonly PageOption[]): PageOption[] {
  const isFor = (option: PageOption, place: string): boolean => option.places?.includes(place) === true;
  const isInput = (option: PageOption): boolean => option.flags.includes('-i');
  const rest = options.filter((option) => !isInput(option));
  const outputs = rest.filter(
    (option) => isFor(option, 'output') || (option.places === undefined && option.global === undefined),
  );
  const inputs = rest.filter((option) => isFor(option, 'input'));
  const others = rest.filter((option) => !outputs.includes(option) && !inputs.includes(option));
  return [
    ...others,
    ...inputs.map((option) => ({
      ...option,
      name: `input_${(option.flags[0] ?? '').replace(/^-+/, '')}`,
      description: `For the inputs. ${option.description}`,
    })),
    ...options.filter(isInput).map((option) => ({ ...option, name: 'input', isRepeatable: true, isRequired: true })),
    ...outputs,
  ];
}
