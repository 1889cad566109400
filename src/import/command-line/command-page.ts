import type { Ask } from './ask-command.ts';

/** The source of a fact about a command, the most trusted first. */
type PageSource = 'help' | 'man' | 'completion';

/** Libraries that read command lines, by their help. */
export type HelpParser = 'cobra' | 'argparse' | 'optparse' | 'click' | 'yargs' | 'commander';

/** The value an option takes. */
export interface OptionValue {
  /** As the page calls it: `FILE`, `number`. */
  readonly name: string;
  /** Its type, where the page gives one or a default. */
  readonly type?: 'string' | 'integer' | 'number' | undefined;
  readonly isOptional: boolean;
  /** `--flag=VALUE` in one word, as the page writes it. */
  readonly isJoined: boolean;
  /** The value is `key=value`. */
  readonly isPair: boolean;
  /** The key and the value are two words: `--arg name value`. */
  readonly isPairSeparate?: true | undefined;
  /** The only values it may have, where the page lists them. */
  readonly choices: readonly string[];
  /** A pattern for the whole value. */
  readonly pattern?: string | undefined;
  /** A choice may be followed by `=` and more: `jsonpath={.items}`. */
  readonly isChoiceStart?: boolean | undefined;
}

/** An option as a page describes it. */
export interface PageOption {
  /** All its spellings, the best known first: `--file`, `-f`. */
  readonly flags: readonly string[];
  /** The contrary of an option without a value: `--no-color`, `--wait=false`. */
  readonly negated?: string | undefined;
  /** `undefined` for one that is there or not. */
  readonly value: OptionValue | undefined;
  /** May be given several times, each with a value of its own. */
  readonly isRepeatable: boolean;
  readonly isRequired: boolean;
  /** Holds for every subcommand: `before` stands between the program and the subcommand, `anywhere` also behind it. */
  readonly global?: 'before' | 'anywhere' | undefined;
  readonly description: string;
  /** Takes more than one value at once. */
  readonly isCompound: boolean;
  /** Several values follow the flag, which stands once: `--ids a b`. */
  readonly isSpread?: true | undefined;
  /** The flag can name what it holds for: `-c:v` of `-c[:stream]`. */
  readonly hasSpecifier?: true | undefined;
  /** Its scope, for commands whose options stand before the file they are for: `global`, `input`, `output`. */
  readonly places?: readonly string[] | undefined;
  /** Written without a value: true when its text tells of one, false when the page is known to write all values. */
  readonly mayTakeValue?: boolean | undefined;
  /** Stands without its value here, which may be left out; a word behind it would be the value. */
  readonly takesNextWord?: true | undefined;
  /** The name of the tool's argument. Default: after the flag */
  readonly name?: string | undefined;
}

/** A word on the command line that is no option. */
export interface PagePositional {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isRepeated: boolean;
  /** `string` where the name alone would suggest something else. */
  readonly type?: 'string' | undefined;
  /** The words of another command line, behind everything else; `--` where that stands before them. */
  readonly tail?: true | '--' | undefined;
  readonly choices: readonly string[];
  /** A pattern for the whole value. */
  readonly pattern?: string | undefined;
  /** Its form in the usage, where that says more than the name: `TYPE[.VERSION] or TYPE/NAME`. */
  readonly form?: string | undefined;
  readonly description: string;
}

/** A subcommand in a list of them. */
export interface PageCommand {
  readonly name: string;
  readonly description: string;
  /** Its other names, where the list says them: `list (ls)`. */
  readonly aliases?: readonly string[] | undefined;
  /** Further text of the list. */
  readonly details?: string | undefined;
  /** The help lists it among those that are used most. */
  readonly isCommon?: boolean | undefined;
  /** The words behind the name in the list: `UNIT...` */
  readonly usage?: string | undefined;
  /** The heading it stands under, where that tells what its commands are for: `examine the history and state`. */
  readonly group?: string | undefined;
}

/** A command line that a page shows. */
export interface PageExample {
  /** Its purpose; empty where the page does not say. */
  readonly description: string;
  readonly line: string;
}

/** A command as its help, its manual and its completions describe it. */
export interface CommandPage {
  /** Its words: the program and the subcommands. */
  readonly command: readonly string[];
  readonly summary: string;
  /** Further text of the page. */
  readonly details?: string | undefined;
  readonly positionals: readonly PagePositional[];
  readonly options: readonly PageOption[];
  readonly commands: readonly PageCommand[];
  readonly examples: readonly PageExample[];
  /** Headings above its examples: `Undo a commit and redo`. */
  readonly purposes?: readonly string[] | undefined;
  /** Other names of the command, each as its words: `docker container ls` of `docker ps`. */
  readonly aliases: readonly (readonly string[])[];
  /** The words of the command that it is an alias of, where its page names that. */
  readonly standsFor?: readonly string[] | undefined;
  /** It may have subcommands that no list names. */
  readonly hidesCommands?: boolean | undefined;
  /** It says that its subcommands answer to --help. */
  readonly hasCommandHelp?: boolean | undefined;
  /** Its program is a script of the caller's own. */
  readonly isScript?: boolean | undefined;
  /** Uncertain findings, as sentences for people. */
  readonly doubts?: readonly string[] | undefined;
  /** Forms of it that are subcommands without a page of their own: `npm config set`. */
  readonly forms: readonly CommandPage[];
  /** Commands whose options it takes too. */
  readonly borrows: readonly (readonly string[])[];
  /** Options stand before the words that are none. */
  readonly isFlagsFirst: boolean;
  /** The library that reads its command line, where the page shows it. */
  readonly parser?: HelpParser | undefined;
  /** Its parser is known to take `--flag=value` also where the page writes two words. */
  readonly joinsValues: boolean;
  /** Flags of which only one may be given. */
  readonly exclusive: readonly (readonly string[])[];
  /** Flags and names of words of which at least one must be given. */
  readonly oneOf: readonly (readonly string[])[];
  /** Its usage only shows forms that need a certain flag. */
  readonly isSpecial?: boolean | undefined;
  /** `--` may stand before the words that are no options. */
  readonly hasSeparator?: boolean | undefined;
  /** The page speaks of standard input. */
  readonly readsInput?: boolean | undefined;
  /** Variables of the environment that the page says it reads. */
  readonly variables?: readonly string[] | undefined;
  readonly sources: readonly PageSource[];
}

/** Makes the value of an option: one text, in a word of its own unless the rest says otherwise. */
export function optionValue(name: string, rest: Partial<OptionValue> = {}): OptionValue {
  return { name, isOptional: false, isJoined: false, isPair: false, choices: [], ...rest };
}

/** A page that says nothing yet. */
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

/** One way to learn about a command. */
export interface PageReader {
  readonly source: PageSource;
  /** True when it can add something to what is known already. */
  wants(page: CommandPage): boolean;
  /** Reads a page; `undefined` where there is none. */
  read(command: readonly string[], ask: Ask): Promise<CommandPage | undefined>;
}
