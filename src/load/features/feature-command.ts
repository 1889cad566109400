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

/** A positional argument of a command. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Takes all remaining words; only the last argument may. */
  readonly multiple?: boolean;
  /** The names that shells complete; `packs` also completes files. Default: nothing. */
  readonly completes?: 'files' | 'tools' | 'arguments' | 'servers' | 'logins' | 'agents' | 'packs';
  /** The values it may have, for shells that complete them. */
  readonly choices?: readonly string[];
}

/** Colours and weights for text. Each function returns the text unchanged when the output has no colours. */
export type TextStyle = Readonly<
  Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>
>;

/**
 * The output for people: a text, or a list of lines and rows. Consecutive rows are aligned in columns. `{ text }` is content that programs
 * read too: escape sequences are removed from it only on a terminal.
 */
export type CommandView = string | readonly (string | readonly string[])[] | { readonly text: string };

/** The result of a command: data for programs, and a view of it for people. */
export interface CommandAnswer {
  /** Printed as JSON with `--json`. */
  readonly data: unknown;
  /** Printed otherwise. A function receives the width of the terminal, or `Infinity` without one. Default: the data as JSON. */
  readonly view?: CommandView | ((style: TextStyle, width: number) => CommandView);
  /** Remarks for people, printed on stderr after the view; not with `--json`. */
  readonly notes?: string | readonly string[] | ((style: TextStyle) => readonly string[]);
  /** Default: 0. */
  readonly exitCode?: number;
}

/** The headings of `pegboard --help`. */
export type CommandGroup = 'Start' | 'Tools' | 'Servers' | 'Knowledge' | 'Agents' | 'Operate';

/** A command of the command line, which is loaded when it runs. */
export interface CommandEntry {
  readonly summary: string;
  /** Its heading in `pegboard --help`, which lists the commands that come with Pegboard. Default: Operate. */
  readonly group?: CommandGroup;
  /** Loads the command, or a module that exports it: what `defineCommand` returned, with the same name. */
  load(): Promise<object>;
}

/** Puts commands under a heading of the help. */
export function inGroup(
  group: CommandGroup,
  entries: Readonly<Record<string, Omit<CommandEntry, 'group'>>>,
): Readonly<Record<string, CommandEntry>> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, { ...entry, group }]));
}
