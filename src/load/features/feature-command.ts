/** An option of a command. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly description: string;
  readonly short?: string;
  /** The placeholder for the value in the help: `FILE`. */
  readonly value?: string;
  /** True when it may be given several times. */
  readonly multiple?: boolean;
  /** The values it may have, for shells that complete them. */
  readonly choices?: readonly string[];
}

/** The options of a command by their names. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** A word of the command line that is no option. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Takes all that follow; only the last may. */
  readonly multiple?: boolean;
  /** The names that shells complete it with; `packs` also with files. Default: nothing. */
  readonly completes?: 'files' | 'tools' | 'arguments' | 'servers' | 'logins' | 'agents' | 'packs';
  /** The values it may have, for shells that complete them. */
  readonly choices?: readonly string[];
}

/** Colours and weights for text; each function returns the text unchanged where the output has no colours. */
export type TextStyle = Readonly<
  Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>
>;

/**
 * An answer for people: a text, or a list of lines and rows, of which rows that follow each other are aligned in columns.
 * `{ text }` is content that programs read too: escape sequences are removed from it only on a terminal.
 */
export type CommandView = string | readonly (string | readonly string[])[] | { readonly text: string };

/** The answer of a command: data for programs, and the same for people. */
export interface CommandAnswer {
  /** Printed as JSON with `--json`. */
  readonly data: unknown;
  /** Printed otherwise. A function gets the width of the terminal, or `Infinity` without one. Default: the data as JSON. */
  readonly view?: CommandView | ((style: TextStyle, width: number) => CommandView);
  /** Remarks for people, printed on stderr after the view; not with `--json`. */
  readonly notes?: string | readonly string[] | ((style: TextStyle) => readonly string[]);
  /** Default: 0. */
  readonly exitCode?: number;
}

/** A command that a feature adds to the command line. The board is open while it runs. */
export interface FeatureCommand<Api = unknown> {
  readonly summary: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: OptionSpecs;
  /** Command lines that work, each with its purpose. */
  readonly examples?: readonly (readonly [line: string, purpose: string])[];
  run(input: FeatureCommandInput<Api>): CommandAnswer | Promise<CommandAnswer>;
}

/** The values that a command of a feature works with. */
export interface FeatureCommandInput<Api> {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
  /** The feature's own API, of the board that was found. */
  readonly api: Api;
  /** Aborts when the person at the terminal stops the command. */
  readonly signal: AbortSignal;
}
