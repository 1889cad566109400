import type { Ask } from './ask-command.ts';

/** The source of a fact about a command, most trusted first. */
type PageSource = 'help' | 'man' | 'completion';

/** Command line libraries, recognized by their help. */
export type HelpParser = 'cobra' | 'argparse' | 'optparse' | 'click' | 'yargs' | 'commander';

export interface OptionValue {
  /** The page's name for it: `FILE`, `number`. */
  readonly name: string;
  /** Its type, if the page gives one or a default. */
  readonly type?: 'string' | 'integer' | 'number' | undefined;
  readonly isOptional: boolean;
  /** `--flag=VALUE` in one word, as on the page. */
  readonly isJoined: boolean;
  /** The value is `key=value`. */
  readonly isPair: boolean;
  /** The key and the value are two words: `--arg name value`. */
  readonly isPairSeparate?: true | undefined;
  /** The only allowed values, if the page lists them. */
  readonly choices: readonly string[];
  /** A pattern for the whole value. */
  readonly pattern?: string | undefined;
  /** A choice may be followed by `=` and more: `jsonpath={.items}`. */
  readonly isChoiceStart?: boolean | undefined;
}

export interface PageOption {
  /** All its spellings, best known first: `--file`, `-f`. */
  readonly flags: readonly string[];
  /** The opposite of an option without a value: `--no-color`, `--wait=false`. */
  readonly negated?: string | undefined;
  /** `undefined` for a switch. */
  readonly value: OptionValue | undefined;
  /** May be given several times, each time with a value. */
  readonly isRepeatable: boolean;
  readonly isRequired: boolean;
  /** Applies to every subcommand: `before` goes between the program and the subcommand, `anywhere` also after it. */
  readonly global?: 'before' | 'anywhere' | undefined;
  readonly description: string;
  /** Takes more than one value at once. */
  readonly isCompound: boolean;
  /** Several values follow the flag, which occurs once: `--ids a b`. */
  readonly isSpread?: true | undefined;
  /** The flag can name its target: `-c:v` of `-c[:stream]`. */
  readonly hasSpecifier?: true | undefined;
  /** Its scope, for commands whose options precede the file they apply to: `global`, `input`, `output`. */
  readonly places?: readonly string[] | undefined;
  /** For an option shown without a value: true when its text mentions one, false when the page is known to show all values. */
  readonly mayTakeValue?: boolean | undefined;
  /** The value is optional and omitted here; a word after the flag would be its value. */
  readonly takesNextWord?: true | undefined;
  /** The name of the tool's argument. Default: derived from the flag. */
  readonly name?: string | undefined;
}

/** A word on the command line that is not an option. */
export interface PagePositional {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isRepeated: boolean;
  /** `string` when the name alone would suggest another type. */
  readonly type?: 'string' | undefined;
  /** The words of another command line, after everything else; `--` if that precedes them. */
  readonly tail?: true | '--' | undefined;
  readonly choices: readonly string[];
  readonly pattern?: string | undefined;
  /** Its form in the usage, if that says more than the name: `TYPE[.VERSION] or TYPE/NAME`. */
  readonly form?: string | undefined;
  readonly description: string;
}

export interface PageCommand {
  readonly name: string;
  readonly description: string;
  /** Its other names in the list: `list (ls)`. */
  readonly aliases?: readonly string[] | undefined;
  readonly details?: string | undefined;
  /** The help lists it among the most used ones. */
  readonly isCommon?: boolean | undefined;
  /** The words after its name in the list: `UNIT...` */
  readonly usage?: string | undefined;
  /** Its heading, if that describes the commands below it: `examine the history and state`. */
  readonly group?: string | undefined;
}

export interface PageExample {
  /** Its purpose; empty if the page does not say. */
  readonly description: string;
  readonly line: string;
}

/** A command, as described by its help, its manual and its completions. */
export interface CommandPage {
  /** The program and the subcommands. */
  readonly command: readonly string[];
  readonly summary: string;
  readonly details?: string | undefined;
  readonly positionals: readonly PagePositional[];
  readonly options: readonly PageOption[];
  readonly commands: readonly PageCommand[];
  readonly examples: readonly PageExample[];
  /** Headings above its examples: `Undo a commit and redo`. */
  readonly purposes?: readonly string[] | undefined;
  /** Other names of the command, each as its words: `docker container ls` of `docker ps`. */
  readonly aliases: readonly (readonly string[])[];
  /** The words of the command that it is an alias of, if its page names it. */
  readonly aliasOf?: readonly string[] | undefined;
  /** It may have subcommands that no list names. */
  readonly hidesCommands?: boolean | undefined;
  /** The help says that its subcommands support --help. */
  readonly hasCommandHelp?: boolean | undefined;
  /** Its program is one of the user's own scripts. */
  readonly isScript?: boolean | undefined;
  /** Uncertain findings, as sentences for people. */
  readonly doubts?: readonly string[] | undefined;
  /** Forms that are subcommands without their own pages: `npm config set`. */
  readonly forms: readonly CommandPage[];
  /** Commands whose options it also accepts. */
  readonly borrows: readonly (readonly string[])[];
  readonly isFlagsFirst: boolean;
  /** The library that parses its command line, if the page reveals it. */
  readonly parser?: HelpParser | undefined;
  /** Its parser is known to accept `--flag=value` even if the page writes two words. */
  readonly joinsValues: boolean;
  /** Flags of which only one may be given. */
  readonly exclusive: readonly (readonly string[])[];
  /** Flags and names of positionals of which at least one must be given. */
  readonly oneOf: readonly (readonly string[])[];
  /** Its usage shows only forms that require a certain flag. */
  readonly isSpecial?: boolean | undefined;
  /** `--` may precede the positionals. */
  readonly hasSeparator?: boolean | undefined;
  /** The page mentions standard input. */
  readonly readsInput?: boolean | undefined;
  /** Environment variables that it reads, according to the page. */
  readonly variables?: readonly string[] | undefined;
  readonly sources: readonly PageSource[];
}

/** Creates the value of an option: one string in a word of its own, unless `rest` says otherwise. */
export function optionValue(name: string, rest: Partial<OptionValue> = {}): OptionValue {
  return { name, isOptional: false, isJoined: false, isPair: false, choices: [], ...rest };
}

export function emptyPage(command: readonly string[]): CommandPage {
  return {
    command,
    summary: '',
    positionals: [],
    options: [],
    commands: [],
    examples: [],
    aliases: [],
    forms: [],
    borrows: [],
    isFlagsFirst: false,
    joinsValues: false,
    exclusive: [],
    oneOf: [],
    sources: [],
  };
}

/** One source of information about a command. */
export interface PageReader {
  readonly source: PageSource;
  /** True when it can add something to the page so far. */
  wants(page: CommandPage): boolean;
  /** Reads a page; `undefined` if there is none. */
  read(command: readonly string[], ask: Ask): Promise<CommandPage | undefined>;
}
