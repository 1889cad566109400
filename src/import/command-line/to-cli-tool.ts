import { toLegalName, withHash } from '../../tool/texts/legal-name.ts';
import { META_TOOL_NAMES } from '../../tool/tool-names.ts';
import { matches, matching } from '../packs/knowledge.ts';
import type { CommandPage, PageOption } from './command-page.ts';
import { guessOptionRisk, guessWordRisk, isUnaskedSettings } from './guess/guess-option-risk.ts';
import { toScriptText, writesOrRuns } from './guess/guess-path.ts';
import { guessRisk, type RiskGuess } from './guess/guess-risk.ts';
import { guessTimeout } from './guess/guess-running.ts';
import { type CliArgumentData, MAX_DESCRIPTION, shorten, toArgument, toInput, toPositional } from './to-argument.ts';

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

/** The tag of tools that were only guessed to read. */
const GUESSED_READ = 'guessed-read';
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
    flags.some(matching('useless_flag')) ||
    // Docker's keeps the input open; others ask questions on a terminal.
    (flags.includes('--interactive') && !/\bstdin\b/i.test(description)) ||
    HELP_LETTERS.some(([flag, text]) => flags.length === 1 && flags.includes(flag) && text.test(description))
  );
}

/**
 * Returns a command in the form of config files: one string, or a list if a word contains characters that would be split or
 * interpreted.
 */
export function toCommandForm(command: readonly string[]): string | readonly string[] {
  return command.some((word) => /[^\w./:@=+-]/.test(word)) ? command : command.join(' ');
}

/** Describes a command, with as many further sentences of its page as fit. */
function describeCommand(about: string, { command, details = '' }: CommandPage): string {
  // `Show commit logs` and `Shows the commit logs.` count as the same text.
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/\b(?:the|an?)\b|[^a-z0-9]+/g, ' ')
      .replaceAll(/s\b/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  let text = about;
  const sentences = details.match(/.+?[.](?=\s+[A-Z]|$)/g) ?? [];
  // `Enabling hooks the unit into …, so that it is started on boot` explains `enable`, wherever it appears.
  const doing = new RegExp(
    String.raw`^\s*${(command.at(-1) ?? '').replace(/e$|\W.*$/, '')}ing\b.*\b(?:so that|for example|in order to)\b`,
    'i',
  );
  const explaining = sentences
    .slice(1)
    .filter((sentence) => doing.test(sentence))
    .slice(0, 1);
  for (const sentence of [...sentences.slice(0, 1), ...explaining, ...sentences.slice(1)]) {
    const next = sentence.trim();
    if (matches('boilerplate', next)) continue;
    if (plain(text).includes(plain(next))) continue;
    // `Install a package` and `Install a package with all it needs.`: only the longer one.
    if (text === about && plain(next).startsWith(`${plain(about)} `) && next.length <= MAX_DESCRIPTION) {
      text = next;
      continue;
    }
    const longer = `${text.replace(/[.]?$/, '.')} ${next}`;
    if (longer.length > MAX_DESCRIPTION) break;
    text = longer;
  }
  return shorten(text);
}
