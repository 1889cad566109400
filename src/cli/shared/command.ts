import type { ArgumentSpec, CommandAnswer, OptionSpec, OptionSpecs } from '../../load/features/feature-command.ts';
import type { CliContext } from './cli-context.ts';

export type { ArgumentSpec, CommandAnswer, OptionSpec, OptionSpecs } from '../../load/features/feature-command.ts';

type OptionValue<S extends OptionSpec> = S['type'] extends 'boolean'
  ? boolean
  : S extends { readonly multiple: true }
    ? readonly string[]
    : string | undefined;

type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: OptionValue<O[K]> };

interface CommandInput<O extends OptionSpecs> {
  readonly values: OptionValues<O>;
  readonly positionals: readonly string[];
  /** True when a program reads the answer. Only commands that print themselves need it. */
  readonly json: boolean;
  readonly context: CliContext;
}

interface CommandSpec<O extends OptionSpecs> {
  readonly name: string;
  /** The description in the help, a few sentences. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options: O;
  /** Command lines that work, each with its purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** Runs the command. Returns the answer, or the exit code if it printed everything itself. */
  run(input: CommandInput<O>): Promise<CommandAnswer | number>;
}

const COMMAND = Symbol('command');

/** A command with untyped options, as the dispatcher uses it. */
export interface Command extends CommandSpec<OptionSpecs> {
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

/** Defines a command whose `run` gets typed options. */
export function defineCommand<const O extends OptionSpecs>(spec: CommandSpec<O>): Command {
  // The parser fills in a value of the right type for each option.
  return { ...spec, run: (input) => spec.run(input as unknown as CommandInput<O>), [COMMAND]: true };
}

export function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && COMMAND in value;
}
