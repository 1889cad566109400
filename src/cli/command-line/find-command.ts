import { nearestNames } from '../../tool/texts/suggest.ts';
import type { CommandEntry } from '../../load/features/feature-command.ts';
import type { Commands } from './commands.ts';
import { UsageError } from '../shared/usage-error.ts';

/** The interpretation of the first words of a command line. */
export type FoundCommand =
  | { readonly type: 'command'; readonly name: string; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly type: 'overview'; readonly word: string | undefined; readonly isAsked: boolean }
  | { readonly type: 'version' }
  /** Not a built-in command; a plugin of the board may have it. */
  | { readonly type: 'unknown'; readonly name: string; readonly rest: readonly string[]; readonly error: UsageError };

const HELP: ReadonlySet<string> = new Set(['--help', '-h', 'help']);
const VERSION: ReadonlySet<string> = new Set(['--version', '-V', '-v', 'version']);

/** Finds the command that a command line names: `list …`, `import cli …`, `help list`. */
export function findCommand(args: readonly string[], commands: Commands): FoundCommand {
  const [first, second] = args;
  if (first === undefined) return { type: 'overview', word: undefined, isAsked: false };
  if (VERSION.has(first)) return { type: 'version' };
  if (HELP.has(first)) {
    if (second === undefined) return { type: 'overview', word: undefined, isAsked: true };
    const found = findCommand(args.slice(1), commands);
    if (found.type === 'overview') return { ...found, isAsked: true };
    return 'rest' in found ? { ...found, rest: ['--help'] } : found;
  }
  const pair = `${first} ${second ?? ''}`;
  for (const [name, rest] of [
    [pair, args.slice(2)],
    [first, args.slice(1)],
  ] as const) {
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry !== undefined) return { type: 'command', name, entry, rest };
  }
  const members = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  if (members.length === 0) {
    const error = unknownCommand(first, Object.keys(commands));
    return { type: 'unknown', name: first, rest: args.slice(1), error };
  }
  if (second === undefined || HELP.has(second)) {
    return { type: 'overview', word: first, isAsked: second !== undefined };
  }
  throw unknownCommand(pair, members);
}

function unknownCommand(name: string, known: readonly string[]): UsageError {
  if (name.startsWith('-')) return new UsageError(`Options come after the command; got "${name}" first.`);
  const [nearest] = nearestNames(name, known, 1);
  const hint = nearest === undefined ? `Use one of: ${known.join(', ')}.` : `Did you mean "pegboard ${nearest}"?`;
  return new UsageError(`There is no command "${name}". ${hint}`);
}
