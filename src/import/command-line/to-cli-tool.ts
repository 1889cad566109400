import type { ArgumentRisk } from '../../tool/parameters/argument-risk.ts';
import { toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { META_TOOL_NAMES } from '../../tool/tool-names.ts';
import type { CommandPage, OptionValue, PageOption, PagePositional } from './command-page.ts';
import { describeCommand, described } from './describe-command.ts';
import {
  type ArgumentPath,
  isAnyName,
  mayBePath,
  mayBePathWord,
  pathOf,
  type ScriptText,
  toScriptText,
  writesOrRuns,
} from './guess/guess-path.ts';
import { isUnaskedSettings } from './guess/find-program-option.ts';
import { guessOptionRisk, guessWordRisk } from './guess/guess-option-risk.ts';
import { guessRisk, type RiskGuess } from './guess/guess-risk.ts';
import { guessTimeout } from './guess/guess-running.ts';
import { guessType } from './guess/guess-type.ts';

/** A `type: cli` tool in a config file: plain data, ready to be written as YAML. */
export interface CliToolData {
  readonly name: string;
  readonly type: 'cli';
  readonly description: string;
  /** The heading above the command. */
  readonly category?: string | undefined;
  readonly aliases?: readonly string[];
  /** Its help lists it among the most used ones. */
  readonly common?: true;
  readonly command: string | readonly string[];
  readonly risk?: 'read' | 'destructive';
  readonly tags?: readonly string[];
  /** Guessed: more than the default for commands that build, move data or wait. */
  readonly timeout?: string;
  /** Variables of the board that are passed to the command. */
  readonly env_pass?: readonly string[];
  /** Empty if no argument can be a path; arguments that can are marked. */
  readonly paths?: readonly [];
  readonly flags?: 'first';
  readonly separator?: '--';
  readonly args?: readonly CliArgumentData[];
  readonly exclusive?: readonly (readonly string[])[];
  readonly one_of?: readonly (readonly string[])[];
  readonly examples?: readonly CliExampleData[];
  /** User requests for it, from its page. */
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
  /** A path, or the form of a value that can also be something else. */
  readonly path?: ArgumentPath;
  readonly stdin?: true;
  /** Flags whose order matters: each element of the list is one of them. */
  readonly sequence?: readonly CliArgumentData[];
  /** Guessed, like the tool's risk. */
  readonly risk?: ArgumentRisk;
}

/** The tag of tools that were only guessed to read. */
const GUESSED_READ = 'guessed-read';
/** Options that only print information, or open an editor, a browser or a pager. */
const USELESS = /^(?:--help|-help|--version|-version|--edit|--web|--usage|--help-all|--(?:install|show)-completion)$/;
/** Letters that mean help and version only if the text says so. */
const HELP_LETTERS: readonly (readonly [string, RegExp])[] = [
  ['-h', /\bhelp\b/i],
  ['-V', /\bversion\b/i],
  ['-v', /\bversion\b/i],
];

/** A tool, with everything that it omits. */
export interface MadeCliTool {
  readonly tool: CliToolData;
  readonly page: CommandPage;
  readonly guess: RiskGuess | undefined;
  /** The words that the risks of arguments were guessed from, by name; a flag of a sequence is `filters.include`. */
  readonly argumentGuesses: ReadonlyMap<string, string>;
  /** The option or positional of each argument, by the argument's name. */
  readonly options: ReadonlyMap<string, PageOption>;
  /** Options omitted from a reading tool because they write or run something. */
  readonly left: readonly PageOption[];
  /** Options that may be switches or take the next word as their value. */
  readonly unsure: readonly PageOption[];
}

/** Facts about a command from the page above it. */
interface ListedAs {
  readonly about?: string | undefined;
  readonly group?: string | undefined;
  readonly isCommon?: boolean | undefined;
  /** Global options that the user asked for. */
  readonly named?: readonly string[] | undefined;
}

/** Creates a tool from a command's page. */
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
      const arg = toPositional(positional, { taken, options: wanted, command, script });
      names.set(positional.name, arg.name);
      const found = guessWordRisk(positional, { ...page, summary: said, before }, guess);
      if (found === undefined) return arg;
      argumentGuesses.set(arg.name, found.from);
      return { ...arg, risk: found.risk };
    }),
    ...wanted.flatMap((option) => {
      const arg = toArgument(option, { taken, joinsValues: page.joinsValues, command, script });
      for (const flag of option.flags) names.set(flag, arg.name);
      options.set(arg.name, option);
      const found = guessOptionRisk(option, guess, { ...page, about: said });
      if (found === undefined) return [arg];
      argumentGuesses.set(arg.name, found.from);
      // The opposite flag has no such risk, and nobody needs it.
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
      // Lets a policy distinguish them from tools that a person has marked as reading.
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

/** True when an option may take the next word as its value. Libraries that generate help show every value. */
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
  // A command must not receive calls that are meant for the board's own tools.
  return META_TOOL_NAMES.has(name) ? withHash(name, { whole: command.join(' ') }) : name;
}

/** True for subcommands with `-long` options: Go's own parser, which accepts no option after a positional. */
function isGoStyle({ command, options }: CommandPage): boolean {
  const longest = options.flatMap(({ flags, global }) => (global === undefined ? flags.slice(0, 1) : []));
  return command.length > 1 && longest.length > 0 && longest.every((flag) => /^-\w{2,}/.test(flag));
}

/** True when an option only prints information, or needs a terminal or a browser. */
export function isUseless({ flags, description }: PageOption): boolean {
  return (
    flags.some((flag) => USELESS.test(flag)) ||
    // Docker's keeps the input open; others ask questions on a terminal.
    (flags.includes('--interactive') && !/\bstdin\b/i.test(description)) ||
    HELP_LETTERS.some(([flag, text]) => flags.length === 1 && flags.includes(flag) && text.test(description))
  );
}

/** The state for creating arguments. */
interface ArgumentContext {
  readonly taken: Set<string>;
  readonly command: readonly string[];
  /** Set if the page comes from a library for users' own commands: values without a description are no paths then. */
  readonly script: ScriptText | undefined;
}

function toPositional(
  positional: PagePositional,
  { taken, options, command, script }: ArgumentContext & { readonly options: readonly PageOption[] },
): CliArgumentData {
  const { description, isRequired, isRepeated, tail, choices, pattern } = positional;
  const isScript = script !== undefined;
  // `tar --file=ARCHIVE FILE...`: the flag keeps the well-known name, and the positionals get the plural.
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

/** Creates the argument for standard input. */
function toInput(taken: Set<string>): CliArgumentData {
  const name = taken.has('stdin') ? 'standard_input' : 'stdin';
  return { name, description: 'The standard input of the command', stdin: true };
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
    // Two words, as on the page: not every command accepts --flag=value.
    ...(flag.startsWith('--') && !isJoined && !joinsValues ? { style: 'separate' } : {}),
    ...((isPair || isText(type)) && value.pattern === undefined && choices.length === 0
      ? pathOf({ command, names: [...flags, value.name], description, isOption: true }, mayBePath(option, script))
      : {}),
  };
}

function isText(type: 'string' | 'integer' | 'number' | undefined): boolean {
  return type === undefined || type === 'string';
}

/** Returns the type and values of a list. Those of `choices=range(1, 5)` are numbers, as a model sends them. */
function listed(choices: readonly string[], mayBeNumbers: boolean): Pick<CliArgumentData, 'type' | 'enum'> {
  const areNumbers = mayBeNumbers && choices.every((choice) => /^(?:0|-?[1-9]\d{0,8})$/.test(choice));
  return areNumbers ? { type: 'integer', enum: choices.map(Number) } : { enum: choices };
}

/** Output formats with a template, such as `jsonpath={.items}`. */
const TEMPLATE = /^(?:json-?path|go-template|custom-columns)(?:-|$)/;

/** Returns the values of a choice: a list, or a pattern if more may follow. */
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

/** `--max-count` → `max_count`; `max_count_option` if a positional has that name. */
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
  // A number is not a name: -1 of ls.
  if (/^\d+$/.test(cleaned)) return `flag_${cleaned}`;
  return !text.startsWith('-') && /^[A-Z0-9_]{2,}$/.test(cleaned) ? cleaned.toLowerCase() : cleaned || 'value';
}

function isLong(flag: string): boolean {
  return /^--|^-\w{2,}/.test(flag);
}

/** `container_name_1_container_image_1` → `container_name_image`: drops repeated words and numbers. */
function shortName(name: string): string {
  const words = name.split('_');
  if (words.length < 4) return name;
  return [...new Set(words)].filter((word, index) => index === 0 || !/^\d+$/.test(word)).join('_');
}

/**
 * Returns a command in the form of config files: one string, or a list if a word contains characters that would be split or
 * interpreted.
 */
export function toCommandForm(command: readonly string[]): string | readonly string[] {
  return command.some((word) => /[^\w./:@=+-]/.test(word)) ? command : command.join(' ');
}
