import { parseArgs } from 'node:util';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { COMMON_OPTIONS, type Command, type OptionSpec, type OptionSpecs } from '../shared/command.ts';
import { UsageError } from '../shared/usage-error.ts';
import type { CommandEntry } from '../../load/features/feature-command.ts';
import type { Commands } from './commands.ts';

interface ParsedLine {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Parses the words after a command's name. Throws a `UsageError` that suggests a correction. */
export function parseCommandLine(command: Command, args: readonly string[]): ParsedLine {
  const options: OptionSpecs = { ...command.options, ...COMMON_OPTIONS };
  // Not strict: Node's own messages name neither the nearest option nor the command.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (spec === undefined) throw unknownOption(command, token.rawName, options);
    const values = given.get(token.name) ?? [];
    given.set(token.name, [...values, readValue(command, spec, token)]);
    if (spec.multiple !== true && spec.type === 'string' && values.length > 0) {
      throw new UsageError(`${token.rawName} is given twice. Give it once.`, command.name);
    }
  }
  if (!given.has('help')) checkWords(command, positionals);
  return { values: toValues(options, given), positionals };
}

function readValue(
  command: Command,
  spec: OptionSpec,
  { rawName, value, inlineValue }: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
): string {
  if (spec.type === 'boolean') {
    if (value === undefined) return 'true';
    throw new UsageError(`${rawName} takes no value; got "${value}".`, command.name);
  }
  const placeholder = spec.value ?? 'VALUE';
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${placeholder}.`, command.name);
  if (inlineValue !== true && value.length > 1 && value.startsWith('-')) {
    throw new UsageError(
      `${rawName} needs a value before "${value}". If that is the value, write ${rawName}=${value}.`,
      command.name,
    );
  }
  return value;
}

function unknownOption(command: Command, rawName: string, options: OptionSpecs): UsageError {
  const names = Object.keys(options).map((name) => `--${name}`);
  const [nearest] = nearestNames(rawName, names, 1);
  const hint = nearest === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean ${nearest}?`;
  const takesArguments = command.arguments?.some(({ completes }) => completes === 'arguments') === true;
  // For people who pass tool arguments as options.
  const own =
    takesArguments && rawName.startsWith('--') ? ` For an argument of the tool write ${rawName.slice(2)}=VALUE.` : '';
  return new UsageError(`"pegboard ${command.name}" has no option ${rawName}. ${hint}${own}`, command.name);
}

function checkWords(command: Command, positionals: readonly string[]): void {
  const specs = command.arguments ?? [];
  const missing = specs.find((spec, index) => spec.required === true && positionals[index] === undefined);
  if (missing !== undefined) {
    throw new UsageError(
      `"pegboard ${command.name}" needs ${missing.name}: ${lowerFirst(missing.description)}.`,
      command.name,
    );
  }
  const extra = specs.at(-1)?.multiple === true ? undefined : positionals[specs.length];
  if (extra !== undefined) {
    const takes = specs.length === 0 ? 'no words' : `only ${specs.map(({ name }) => name).join(' ')}`;
    const hint = 'file' in command.options ? ' Name config files with --file.' : '';
    throw new UsageError(`"pegboard ${command.name}" takes ${takes}; got "${extra}" as well.${hint}`, command.name);
  }
}

function toValues(options: OptionSpecs, given: ReadonlyMap<string, readonly string[]>): ParsedLine['values'] {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => {
      const values = given.get(name) ?? [];
      if (type === 'boolean') return [name, values.length > 0];
      return [name, multiple === true ? values : values.at(-1)];
    }),
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The interpretation of the first words of a command line. */
export type FoundCommand =
  | { readonly type: 'command'; readonly name: string; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly type: 'overview'; readonly word: string | undefined; readonly isAsked: boolean }
  | { readonly type: 'version' }
  /** Not a built-in command; a plugin of the board may have it. */
  | {
      readonly type: 'unknown';
      readonly name: string;
      readonly rest: readonly string[];
      readonly refuse: () => UsageError;
    };

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
    // A function, because a later list of commands may have it, and to find the nearest names takes time.
    const refuse = (): UsageError => unknownCommand(first, Object.keys(commands));
    return { type: 'unknown', name: first, rest: args.slice(1), refuse };
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
