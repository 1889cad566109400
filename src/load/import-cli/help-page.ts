/** The value an option takes. */
export interface HelpValue {
  /** As the help calls it: `FILE`, `<number>`. */
  readonly name: string;
  readonly isOptional: boolean;
  /** `--flag=VALUE` in one word, as the help writes it. */
  readonly isJoined: boolean;
  /** The values it may have, where the help lists them. */
  readonly choices: readonly string[];
}

/** An option as a help text describes it. */
export interface HelpOption {
  /** All its spellings, longest first: `--file`, `-f`. */
  readonly flags: readonly string[];
  readonly value: HelpValue | undefined;
  readonly description: string;
  /** Takes more than one value, which one argument of a tool cannot be. */
  readonly isCompound: boolean;
}

/** A word on the command line that is no option. */
export interface HelpPositional {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isRepeated: boolean;
  readonly choices: readonly string[];
  readonly description: string;
}

/** A subcommand in a list of them. */
export interface HelpCommand {
  readonly name: string;
  readonly description: string;
}

/** What could be read from the output of `--help`. */
export interface HelpPage {
  readonly description: string;
  readonly options: readonly HelpOption[];
  readonly positionals: readonly HelpPositional[];
  readonly commands: readonly HelpCommand[];
}
