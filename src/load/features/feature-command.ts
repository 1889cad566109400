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

/** The answer of a command: data for programs, and the same for people. */
export interface CommandAnswer {
  /** Printed as JSON with `--json`. */
  readonly data: unknown;
  /** Printed otherwise: a text, or rows that are aligned in columns. Default: the data as JSON. */
  readonly view?: string | readonly (readonly string[])[];
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
