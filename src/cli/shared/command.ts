import type { Board } from '../../board/board.ts';
import type { ArgumentSpec, CommandAnswer, OptionSpec, OptionSpecs } from '../../load/features/feature-command.ts';
import type { BoardUse } from './board/use-board.ts';
import type { CliContext } from './cli-context.ts';

export type { ArgumentSpec, CommandAnswer, OptionSpec, OptionSpecs } from '../../load/features/feature-command.ts';

/** The value of one option. */
export type OptionValue<S extends OptionSpec> = S['type'] extends 'boolean'
  ? boolean
  : S extends { readonly multiple: true }
    ? readonly string[]
    : string | undefined;

/** The values of options by name. */
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: OptionValue<O[K]> };

/** The input of a command. */
export interface CommandInput<O extends OptionSpecs = OptionSpecs> {
  /** The options by name, each with a value of its type. */
  readonly values: OptionValues<O>;
  readonly positionals: readonly string[];
  /** True when a program reads the answer. Only commands that print themselves need it. */
  readonly json: boolean;
  readonly context: CliContext;
}

/** The texts of a command: its name, help, arguments and options. */
export interface CommandTexts<O extends OptionSpecs> {
  /** As on the command line: `list`, `calls show`. */
  readonly name: string;
  /** The description in the help, a few sentences. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  /** Default: none. */
  readonly options?: O;
  /** Command lines that work, each with its purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
}

/** The result of `run`: the answer, or the exit code of a command that printed everything itself. */
export type CommandOutcome = CommandAnswer | number | Promise<CommandAnswer | number>;

/** A command that opens no board, or opens it itself. */
export interface CommandSpec<O extends OptionSpecs> extends CommandTexts<O> {
  readonly board?: undefined;
  run(input: CommandInput<O>): CommandOutcome;
}

/** The options of every command of a board: `--file` and `--trust`. */
export type FileOptions = {
  readonly file: OptionSpec & { readonly type: 'string'; readonly multiple: true };
  readonly trust: OptionSpec & { readonly type: 'boolean' };
};

/** A command of a board. It has the options `--file` and `--trust`; the board is open while it runs. */
export interface BoardCommandSpec<O extends OptionSpecs, P> extends CommandTexts<O> {
  /** Reads and checks the command line before the board is opened. `run` receives the result. */
  parse?(input: CommandInput<O & FileOptions>): P | Promise<P>;
  /** Defines how the board is opened. */
  readonly board: BoardUse | ((input: CommandInput<O & FileOptions> & { readonly parsed: P }) => BoardUse);
  run(input: CommandInput<O & FileOptions> & { readonly parsed: P; readonly board: Board }): CommandOutcome;
}

/** The same symbol in every copy of this package. */
const COMMAND: unique symbol = Symbol.for('pegboard.command') as never;

/** A command with untyped options, as the dispatcher uses it. */
export interface Command extends CommandTexts<OptionSpecs> {
  readonly options: OptionSpecs;
  run(input: CommandInput): Promise<CommandAnswer | number>;
  readonly [COMMAND]: true;
}

/** Defines an option without a value. */
export function flag(description: string, short?: string): OptionSpec & { readonly type: 'boolean' } {
  return { type: 'boolean', description, ...(short === undefined ? {} : { short }) };
}

/** Defines an option with a value; the help shows its placeholder: `FILE`. */
export function valueOption(value: string, description: string, more: OptionDetails = {}): ValueOption {
  return { type: 'string', value, description, ...more };
}

/** Defines an option that may be given several times. */
export function listOption(
  value: string,
  description: string,
  more: OptionDetails = {},
): ValueOption & { readonly multiple: true } {
  return { ...valueOption(value, description, more), multiple: true };
}

type OptionDetails = Pick<OptionSpec, 'short' | 'choices'>;
type ValueOption = Omit<OptionSpec, 'multiple'> & { readonly type: 'string' };

export const COMMON_OPTIONS = {
  json: { type: 'boolean', description: 'Answer in JSON, for programs' },
  help: { type: 'boolean', short: 'h', description: 'Show this help' },
} as const satisfies OptionSpecs;

/** The config files, for commands whose arguments mean something else. */
export const FILE_OPTION = {
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    multiple: true,
    description: 'A config file; may be given several times (default: the nearest pegboard.yaml)',
  },
  trust: {
    type: 'boolean',
    description: "Trust the config for this command, even another user's, and run what it names",
  },
} as const satisfies OptionSpecs;

/** For read-only commands: they start no MCP server without it. */
export const WAIT_OPTION = {
  wait: { type: 'boolean', description: 'Ask MCP servers whose tools are not known yet, and wait for them' },
} as const satisfies OptionSpecs;

/** The config files as arguments. */
export const FILES_ARGUMENT = {
  name: 'FILES',
  description: 'Config files (default: the nearest pegboard.yaml)',
  multiple: true,
  completes: 'files',
} as const satisfies ArgumentSpec;

/**
 * Defines a command of the command line, for the `commands` of a feature.
 *
 * @example
 * ```ts
 * export const hours = defineCommand({
 *   name: 'hours',
 *   description: 'Shows how many tools may be called now.',
 *   examples: [['pegboard hours', 'of the board in this folder']],
 *   board: { mode: 'look' },
 *   run: ({ board }) => ({ data: { tools: board.registry.size } }),
 * });
 * ```
 */
export function defineCommand<const O extends OptionSpecs = FileOptions, P = undefined>(
  spec: BoardCommandSpec<O, P>,
): Command;
export function defineCommand<const O extends OptionSpecs>(spec: CommandSpec<O>): Command;
export function defineCommand(spec: CommandSpec<OptionSpecs> | BoardCommandSpec<OptionSpecs, unknown>): Command {
  const { board: use, options = {} } = spec;
  if (use === undefined) return { ...spec, options, run: async (input) => spec.run(input), [COMMAND]: true };
  const takesFiles = spec.arguments?.includes(FILES_ARGUMENT) === true;
  return {
    ...spec,
    options: { ...FILE_OPTION, ...options },
    async run(given) {
      // The parser fills in a value of the right type for each option.
      const input = given as CommandInput<FileOptions>;
      const parsed = await spec.parse?.(input);
      const { useBoard } = await import('./board/use-board.ts');
      const { files, ...opening } = typeof use === 'function' ? use({ ...input, parsed }) : use;
      const named = files ?? [...(takesFiles ? input.positionals : []), ...input.values.file];
      return useBoard(named, { ...opening, context: input.context }, (board) => spec.run({ ...input, parsed, board }));
    },
    [COMMAND]: true,
  };
}

export function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && COMMAND in value;
}
