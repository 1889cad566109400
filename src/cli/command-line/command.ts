import type { ArgumentSpec, CommandAnswer, OptionSpec, OptionSpecs } from '../../load/features/feature-command.ts';
import type { CliContext } from '../cli-context.ts';

export type { ArgumentSpec, CommandAnswer, OptionSpec, OptionSpecs } from '../../load/features/feature-command.ts';

type OptionValue<S extends OptionSpec> = S['type'] extends 'boolean'
  ? boolean
  : S extends { readonly multiple: true }
    ? readonly string[]
    : string | undefined;

/** The values of a command's options. */
type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]: OptionValue<O[K]> };

/** The input of a command. */
interface CommandInput<O extends OptionSpecs> {
  readonly values: OptionValues<O>;
  readonly positionals: readonly string[];
  /** True when the answer is for a program; only commands that print by themselves need it. */
  readonly json: boolean;
  readonly context: CliContext;
}

interface CommandSpec<O extends OptionSpecs> {
  readonly name: string;
  /** Says in a few sentences what the command does. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options: O;
  /** Command lines that work, each with its purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** Does the work and gives the answer, or the exit code when it has printed all of its output itself. */
  run(input: CommandInput<O>): Promise<CommandAnswer | number>;
}

/** A command as the dispatcher knows it. */
export type Command = CommandSpec<OptionSpecs>;

/** Options that every command has. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', description: 'Answer in JSON, for programs' },
  help: { type: 'boolean', short: 'h', description: 'Show this help' },
} as const satisfies OptionSpecs;

/** Config files, for commands whose words mean something else. */
export const FILE_OPTION = {
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    multiple: true,
    description: 'A config file; may be given several times (default: the nearest pegboard.yaml)',
  },
  trust: { type: 'boolean', description: "Trust the config this once: another user's too, with all that it runs" },
} as const satisfies OptionSpecs;

/** For commands that only read: they start no MCP server unless a person waits for them. */
export const WAIT_OPTION = {
  wait: { type: 'boolean', description: 'Ask MCP servers of which nothing is known, and wait for them' },
} as const satisfies OptionSpecs;

/** Config files as words. */
export const FILES_ARGUMENT = {
  name: 'FILES',
  description: 'Config files (default: the nearest pegboard.yaml)',
  multiple: true,
  completes: 'files',
} as const satisfies ArgumentSpec;

/** Defines a command whose `run` gets typed options. */
export function defineCommand<const O extends OptionSpecs>(spec: CommandSpec<O>): Command {
  // The parser fills in a value of the right type for each option of the spec.
  return { ...spec, run: (input) => spec.run(input as unknown as CommandInput<O>) };
}
