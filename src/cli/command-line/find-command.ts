import { nearestNames } from '../../tool/texts/suggest.ts';
import { COMMANDS } from './commands.ts';
import { UsageError } from './usage-error.ts';

/** The interpretation of the first words of a command line. */
export type FoundCommand =
  | { readonly type: 'command'; readonly name: string; readonly rest: readonly string[] }
  | { readonly type: 'overview'; readonly word: string | undefined; readonly isAsked: boolean }
  | { readonly type: 'version' }
  /** Not a built-in command; a plugin of the board may have it. */
  | { readonly type: 'unknown'; readonly name: string; readonly rest: readonly string[]; readonly error: UsageError };

const HELP: ReadonlySet<string> = new Set(['--help', '-h', 'help']);
const VERSION: ReadonlySet<string> = new Set(['--version', '-V', '-v', 'version']);

/** Finds the command that a command line names: `list …`, `import cli …`, `help list`. */
export function findCommand(args: readonly string[]): FoundCommand {
  const [first, second] = args;
  if (first === undefined) return { type: 'overview', word: undefined, isAsked: false };
  if (VERSION.has(first)) return { type: 'version' };
  if (HELP.has(first)) {
    if (second === undefined) return { type: 'overview', word: undefined, isAsked: true };
    const found = findCommand(args.slice(1));
    if (found.type === 'overview') return { ...found, isAsked: true };
    return 'rest' in found ? { ...found, rest: ['--help'] } : found;
  }
  const pair = `${first} ${second ?? ''}`;
  if (Object.hasOwn(COMMANDS, pair)) return { type: 'command', name: pair, rest: args.slice(2) };
  if (Object.hasOwn(COMMANDS, first)) return { type: 'command', name: first, rest: args.slice(1) };
  const members = Object.keys(COMMANDS).filter((name) => name.startsWith(`${first} `));
  if (members.length === 0) {
    const error = unknownCommand(first, Object.keys(COMMANDS));
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
