import type { z } from 'zod';
import { type ReadContext, type ToolEntry } from '../kind.ts';
import { readRunning, type RunSettings } from '../running/run-settings.ts';
import { checkCommandText } from './command-text.ts';
import type { cliArgument, cliKeys } from './schema.ts';

/** One argument of a command line. */
export interface CliArgument {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  readonly enum: readonly (string | number)[] | undefined;
  readonly pattern: string | undefined;
  /** The flag as written; `undefined` for `--name-with-hyphens`. */
  readonly flag: string | undefined;
  readonly style: 'joined' | 'separate' | undefined;
  readonly place: 'flag' | 'positional' | 'cwd' | 'stdin';
  readonly isPath: boolean;
}

/** What the person who approves a call is asked. */
export interface Confirmation {
  /** The question, with `{argument}` and `{variable}` where values belong. */
  readonly message: string;
  /** Commands whose output the variables stand for. */
  readonly resolve: Readonly<Record<string, { readonly argv: readonly string[]; readonly timeout: number }>>;
}

/** A command line with typed arguments. */
export interface CliSettings {
  readonly command: readonly string[];
  readonly args: readonly CliArgument[];
  /** Fixed elements at the very end. */
  readonly trailing: readonly string[];
  readonly separator: '--' | '--end-of-options' | './' | undefined;
  readonly confirmation: Confirmation | undefined;
  readonly running: RunSettings;
  /** Whether arguments that are paths are marked as such; where they are not, only the entry's `paths` tells. */
  readonly marksPaths: boolean;
}

/** An entry with `type: cli`. */
export type CliEntry = ToolEntry<CliSettings>;

type WrittenCli = z.input<typeof cliKeys>;

/** Reads the keys of a command line. */
export function readCli(written: WrittenCli, context: ReadContext): CliSettings {
  return {
    command: readCommand(written.command, context),
    args: (written.args ?? []).map(readArgument),
    confirmation: written.confirm_message === undefined ? undefined : { message: written.confirm_message, resolve: {} },
    trailing: [],
    separator: written.separator,
    running: readRunning(written, context),
    marksPaths: true,
  };
}

/** A text is split at blanks; what only a shell would understand in it is an error. */
function readCommand(command: WrittenCli['command'], context: ReadContext): readonly string[] {
  if (typeof command !== 'string') return command;
  const fault = checkCommandText(command);
  if (fault !== undefined) context.addError(['command'], fault);
  return command.split(/\s+/).filter((word) => word !== '');
}

function readArgument(arg: z.input<typeof cliArgument>): CliArgument {
  return {
    name: arg.name,
    description: arg.description,
    type: arg.type ?? 'string',
    required: arg.required ?? false,
    default: arg.default ?? undefined,
    enum: arg.enum,
    pattern: arg.pattern,
    flag: arg.flag,
    style: arg.style ?? 'joined',
    place: arg.cwd === true ? 'cwd' : arg.stdin === true ? 'stdin' : arg.positional === true ? 'positional' : 'flag',
    isPath: arg.path === true || arg.cwd === true,
  };
}
