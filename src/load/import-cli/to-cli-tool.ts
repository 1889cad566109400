import type { ArgumentRisk } from '../../tool/parameters/argument-risk.ts';
import type { CommandPage, OptionValue, PageOption, PagePositional } from './command-page.ts';
import { toCommandForm } from './command-form.ts';
import { toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { META_TOOL_NAMES } from '../../tool/tool-names.ts';
import { type ArgumentPath, pathOf } from './guess-form.ts';
import { described, describeCommand } from './describe-command.ts';
import { guessType } from './guess/guess-type.ts';
import { isAnyName, mayBePath, mayBePathWord, type ScriptText, toScriptText, writesOrRuns } from './guess-path.ts';
import { isUnaskedSettings } from './guess/find-program-option.ts';
import { guessOptionRisk, guessWordRisk } from './guess/guess-option-risk.ts';
import { guessRisk, type RiskGuess } from './guess/guess-risk.ts';
import { guessTimeout } from './guess/guess-timeout.ts';
import { shortName } from './guess/short-name.ts';

/** A `type: cli` tool as a config file holds it: plain data, ready to be written as YAML. */
export interface CliToolData {
  readonly name: string;
  readonly type: 'cli';
  readonly description: string;
  /** The heading that the command stands under. */
  readonly category?: string | undefined;
  readonly aliases?: readonly string[];
  /** Its help lists it among those that are used most. */
  readonly common?: true;
  readonly command: string | readonly string[];
  readonly risk?: 'read' | 'destructive';
  readonly tags?: readonly string[];
  /** Guessed: more than the default, for what builds, moves data or waits. */
  readonly timeout?: string;
  /** Variables of the board that the command sees too. */
  readonly env_pass?: readonly string[];
  /** Empty where no argument can be a path; those that can are marked. */
  readonly paths?: readonly [];
  readonly flags?: 'first';
  readonly separator?: '--';
  readonly args?: readonly CliArgumentData[];
  readonly exclusive?: readonly (readonly string[])[];
  readonly one_of?: readonly (readonly string[])[];
  readonly examples?: readonly CliExampleData[];
  /** What people say when they need it, as its page says it. */
  readonly utterances?: readonly string[];
}

/** A worked call of such a tool. */
export interface CliExampleData {
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** An argument of such a tool. */
export interface CliArgumentData {
  readonly name: string;
  readonly description?: string;
  readonly type?: 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly items?: 'integer' | 'number';
  readonly required?: true;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly flag?: string;
  readonly negated?: string;
  readonly global?: true;
  readonly style?: 'separate';
  readonly pair?: 'separate';
  readonly spread?: true;
  readonly positional?: true;
  readonly tail?: true | '--';
  /** A path, or how a value is read that can also be something else. */
  readonly path?: ArgumentPath;
  readonly stdin?: true;
  /** Flags whose order counts: each element of the list gives one. */
  readonly sequence?: readonly CliArgumentData[];
  /** Guessed, as the risk of the tool is. */
  readonly risk?: ArgumentRisk;
}

/** The tag of tools of which it was only guessed that they read. */
const GUESSED_READ = 'guessed-read';
/** Options that end the command without doing anything, or open an editor, a browser or a pager. */
const USELESS = /^(?:--help|-help|--version|-version|--edit|--web|--usage|--help-all|--(?:install|show)-completion)$/;
/** Letters that mean help and version only where the text says so. */
const HELP_LETTERS: readonly (readonly [string, RegExp])[] = [
  ['-h', /\bhelp\b/i],
  ['-V', /\bversion\b/i],
  ['-v', /\bversion\b/i],
];

/** A tool, and what the command can do that the tool cannot say. */
export interface MadeCliTool {
  readonly tool: CliToolData;
  readonly page: CommandPage;
  readonly guess: RiskGuess | undefined;
  /** From what the risks of arguments were guessed, by their names; a flag of a sequence is `filters.include`. */
  readonly argumentGuesses: ReadonlyMap<string, string>;
  /** The option or word behind each argument, by the argument's name. */
  readonly options: ReadonlyMap<string, PageOption>;
  /** Options that were left out of a tool that only reads, because they write or run something. */
  readonly left: readonly PageOption[];
  /** Options that may be switches or take the next word as their value. */
  readonly unsure: readonly PageOption[];
}

/** What the page above says of a command. */
interface ListedAs {
  readonly about?: string | undefined;
  readonly group?: string | undefined;
  readonly isCommon?: boolean | undefined;
  /** Global options that a person asked for. */
  readonly named?: readonly string[] | undefined;
}

/** Makes a tool of what is known about a command. */
export function toCliTool(page: CommandPage, { about = '', group, isCommon, named = [] }: ListedAs = {}): MadeCliTool {
  const { command } = page;
  const words = command.map((word) => word.split('/').at(-1) ?? word);
  const name = toToolName(command);
  const aliases = [...new Set(page.aliases.map(toToolName))].filter((alias) => alias !== name);
  const taken = new Set<string>();
  const isScript = page.isScript === true || (page.parser !== undefined && page.parser !== 'cobra');
  const script = isScript ? toScriptText(page) : undefined;
  const said = about || page.summary;
  const guess = guessRisk(page, said);
  const timeout = guessTimeout(page);
  const unsure = page.options.filter((option) => !isUseless(option) && isUnsure(option, page));
  const useful = page.options.filter((option) => !isUseless(option) && !unsure.includes(option));
  // With them the tool would do more than read.
  const isLeft = (option: PageOption): boolean => writesOrRuns(option) || isUnaskedSettings(option, named);
  const left = guess?.risk === 'read' && guess.by === undefined ? useful.filter(isLeft) : [];
  const wanted = useful.filter((option) => !left.includes(option));
  const names = new Map<string, string>();
  const options = new Map<string, PageOption>();
  const argumentGuesses = new Map<string, string>();
  const args = [
    ...page.positionals.map((positional, before) => {
      const arg = toPositional(positional, { taken, options: wanted, command: words.join(' '), script });
      names.set(positional.name, arg.name);
      const found = guessWordRisk(positional, { ...page, summary: said, before }, guess);
      if (found === undefined) return arg;
      argumentGuesses.set(arg.name, found.from);
      return { ...arg, risk: found.risk };
    }),
    ...wanted.flatMap((option) => {
      const arg = toArgument(option, { taken, joinsValues: page.joinsValues, command: words.join(' '), script });
      for (const flag of option.flags) names.set(flag, arg.name);
      options.set(arg.name, option);
      const found = guessOptionRisk(option, guess, { ...page, about: said });
      if (found === undefined) return [arg];
      argumentGuesses.set(arg.name, found.from);
      // The flag for the contrary has no such risk, and no one needs it.
      const { negated: _negated, ...rest } = arg;
      return [{ ...rest, risk: found.risk }];
    }),
    ...(page.readsInput === true ? [toInput(taken)] : []),
  ];
  const toNames = (groups: CommandPage['oneOf']): string[][] =>
    groups
      .map((group) => [...new Set(group.map((word) => names.get(word)))].filter((word) => word !== undefined))
      .filter((group) => group.length > 1);
  const exclusive = toNames(page.exclusive);
  const oneOf = toNames(page.oneOf);
  return {
    tool: {
      name,
      type: 'cli',
      description: describeCommand(said || `Run ${words.join(' ')}`, page),
      ...(group === undefined ? {} : { category: group }),
      ...(aliases.length === 0 ? {} : { aliases }),
      ...(isCommon === true ? { common: true } : {}),
      command: toCommandForm(command),
      ...(guess === undefined ? {} : { risk: guess.risk }),
      // A policy can treat such tools otherwise than those of which a person said that they only read.
      ...(guess?.risk === 'read' ? { tags: [GUESSED_READ] } : {}),
      ...(timeout === undefined ? {} : { timeout }),
      ...(args.some(({ path }) => path !== undefined) ? {} : { paths: [] as const }),
      ...(isFlagsFirst(page) && page.positionals.length > 0 ? { flags: 'first' } : {}),
      ...(page.hasSeparator === true && !page.positionals.some(({ tail }) => tail) ? { separator: '--' } : {}),
      ...(args.length === 0 ? {} : { args }),
      ...(exclusive.length === 0 ? {} : { exclusive }),
      ...(oneOf.length === 0 ? {} : { one_of: oneOf }),
    },
    page,
    guess,
    argumentGuesses,
    options,
    left,
    unsure,
  };
}

/** True when an option may take the next word as its value. Libraries that write help write every value. */
function isUnsure({ mayTakeValue, takesNextWord, value }: PageOption, page: CommandPage): boolean {
  if (value !== undefined) return false;
  const isFollowed =
    page.positionals.length > 0 && (isFlagsFirst(page) || page.positionals.some(({ tail }) => tail === true));
  if (takesNextWord === true && isFollowed && page.hasSeparator !== true) return true;
  return mayTakeValue === true && page.parser === undefined && !page.joinsValues;
}

function isFlagsFirst(page: CommandPage): boolean {
  return page.isFlagsFirst || isGoStyle(page);
}

function toToolName(command: readonly string[]): string {
  const words = command.map((word) => word.split('/').at(-1) ?? word);
  const name = toLegalName(words.join('_').replaceAll(/[^A-Za-z0-9_-]+/g, '_'));
  // A command must not get the calls that are meant for other tools.
  return META_TOOL_NAMES.has(name) ? withHash(name, { whole: command.join(' ') }) : name;
}

/** Subcommands with `-long` options: Go's own parser, which takes no option behind a word. */
function isGoStyle({ command, options }: CommandPage): boolean {
  const longest = options.flatMap(({ flags, global }) => (global === undefined ? flags.slice(0, 1) : []));
  return command.length > 1 && longest.length > 0 && longest.every((flag) => /^-\w{2,}/.test(flag));
}

/** Whether an option ends the command without doing anything, or needs a terminal or a browser. */
export function isUseless({ flags, description }: PageOption): boolean {
  return (
    flags.some((flag) => USELESS.test(flag)) ||
    // Docker's keeps the input open; others ask questions on a terminal.
    (flags.includes('--interactive') && !/\bstdin\b/i.test(description)) ||
    HELP_LETTERS.some(([flag, text]) => flags.length === 1 && flags.includes(flag) && text.test(description))
  );
}

/** What is known when an argument is made. */
interface ArgumentContext {
  readonly taken: Set<string>;
  readonly command: string;
  /** Its page is of a library with which people write commands of their own: what it says nothing of is no path. */
  readonly script: ScriptText | undefined;
}

function toPositional(
  positional: PagePositional,
  { taken, options, command, script }: ArgumentContext & { readonly options: readonly PageOption[] },
): CliArgumentData {
  const { description, isRequired, isRepeated, tail, choices, pattern } = positional;
  const isScript = script !== undefined;
  // `tar --file=ARCHIVE FILE...`: the flag has the name that people know it by, and the words are several.
  const isOther = options.some(
    ({ flags, name, value }) =>
      name === undefined &&
      value !== undefined &&
      nameOf(flags[0] ?? '') === nameOf(positional.name) &&
      !isAnyName(value.name) &&
      nameOf(value.name).toLowerCase() !== nameOf(positional.name),
  );
  const name = isOther && isRepeated ? `${nameOf(positional.name)}s` : positional.name;
  const type =
    choices.length > 0
      ? undefined
      : (positional.type ?? guessType({ names: [name], description, isSeveral: isRepeated, isScript }));
  return {
    name: freeArgument(shortName(nameOf(name)), taken),
    ...described(description),
    ...typed(type, isRepeated),
    ...(isRequired ? { required: true } : {}),
    ...(choices.length === 0 ? {} : listed(choices, isScript && !isRepeated)),
    ...(pattern === undefined ? {} : { pattern }),
    ...(tail === undefined ? { positional: true } : { tail }),
    ...(isText(type) && pattern === undefined && choices.length === 0
      ? pathOf({ command, names: [positional.name], description, isOption: false }, mayBePathWord(positional, script))
      : {}),
  };
}

/** What a call sends to a command that reads its standard input. */
function toInput(taken: Set<string>): CliArgumentData {
  const name = taken.has('stdin') ? 'standard_input' : 'stdin';
  return { name, description: 'What the command reads from standard input', stdin: true };
}

function toArgument(
  option: PageOption,
  { taken, joinsValues, command, script }: ArgumentContext & { readonly joinsValues: boolean },
): CliArgumentData {
  const { flags, negated, value, description, isRepeatable, isRequired, global } = option;
  const isScript = script !== undefined;
  const [flag = ''] = flags;
  const name = freeArgument(option.name ?? flag, taken, isLong(flag) ? 'option' : undefined);
  const isDefault = `--${name.replaceAll('_', '-')}` === flag;
  const before = global === 'before' ? { global: true as const } : {};
  if (value === undefined) {
    return {
      name,
      ...described(description, option),
      type: 'boolean',
      ...(isDefault ? {} : { flag }),
      ...(negated === undefined ? {} : { negated }),
      ...before,
    };
  }
  const { choices, isPair, isJoined } = value;
  const type =
    choices.length > 0
      ? undefined
      : (value.type ??
        guessType({ names: [value.name, nameOf(flag)], description, isSeveral: option.isSpread === true, isScript }));
  // `-out=path`: one dash, and the value in the same word.
  const isGlued = isJoined && /^-\w{2,}/.test(flag);
  return {
    name,
    ...described(description, option),
    ...(isPair ? { type: 'object' as const } : typed(type, isRepeatable)),
    ...(value.isPairSeparate === true ? { pair: 'separate' as const } : {}),
    ...(option.isSpread === true ? { spread: true as const } : {}),
    ...(isRequired ? { required: true } : {}),
    ...chosen(value, isScript && !isRepeatable),
    ...(isGlued ? { flag: `${flag}=` } : isDefault ? {} : { flag }),
    ...before,
    // Two words, as the page writes it: not every command takes --flag=value.
    ...(flag.startsWith('--') && !isJoined && !joinsValues ? { style: 'separate' } : {}),
    ...((isPair || isText(type)) && value.pattern === undefined && choices.length === 0
      ? pathOf({ command, names: [...flags, value.name], description, isOption: true }, mayBePath(option, script))
      : {}),
  };
}

function isText(type: 'string' | 'integer' | 'number' | undefined): boolean {
  return type === undefined || type === 'string';
}

/** The values of a list. Those of `choices=range(1, 5)` are numbers, as a model gives them. */
function listed(choices: readonly string[], mayBeNumbers: boolean): Pick<CliArgumentData, 'type' | 'enum'> {
  const areNumbers = mayBeNumbers && choices.every((choice) => /^(?:0|-?[1-9]\d{0,8})$/.test(choice));
  return areNumbers ? { type: 'integer', enum: choices.map(Number) } : { enum: choices };
}

/** Forms of output that are told how to print, such as `jsonpath={.items}`. */
const TEMPLATE = /^(?:json-?path|go-template|custom-columns)(?:-|$)/;

/** The values a choice may have: a list, or a pattern where more may follow. */
function chosen(
  { choices, isChoiceStart, pattern }: OptionValue,
  mayBeNumbers: boolean,
): Pick<CliArgumentData, 'type' | 'enum' | 'pattern'> {
  if (choices.length === 0) return pattern === undefined ? {} : { pattern };
  if (isChoiceStart !== true && !choices.some((choice) => TEMPLATE.test(choice))) return listed(choices, mayBeNumbers);
  const words = choices.map((choice) => choice.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return { pattern: `(?:${words.join('|')})(?:=.*)?` };
}

function typed(
  type: 'string' | 'integer' | 'number' | undefined,
  isRepeated: boolean,
): { type?: 'integer' | 'number' | 'array'; items?: 'integer' | 'number' } {
  const own = type === 'string' ? undefined : type;
  if (isRepeated) return { type: 'array', ...(own === undefined ? {} : { items: own }) };
  return own === undefined ? {} : { type: own };
}

/** `--max-count` → `max_count`; where a word of the command has that name already, `max_count_option`. */
function freeArgument(text: string, taken: Set<string>, suffix?: 'option'): string {
  const base = nameOf(text);
  let name = base;
  if (suffix !== undefined && taken.has(name)) name = `${base}_${suffix}`;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  taken.add(name);
  return name;
}

function nameOf(text: string): string {
  const cleaned = text
    .replace(/^-+/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  // A number is no name: -1 of ls.
  if (/^\d+$/.test(cleaned)) return `flag_${cleaned}`;
  return !text.startsWith('-') && /^[A-Z0-9_]{2,}$/.test(cleaned) ? cleaned.toLowerCase() : cleaned || 'value';
}

function isLong(flag: string): boolean {
  return /^--|^-\w{2,}/.test(flag);
}
