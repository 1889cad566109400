import type { z } from 'zod';
import type { PathForm } from '../../tool/parameters/path-form.ts';
import { type ArgumentRisk, levelsOf } from '../../tool/parameters/argument-risk.ts';
import { type ReadContext, type ToolEntry } from '../kind.ts';
import { type FileStyle, readRunning, type RunSettings } from '../running/run-settings.ts';
import { checkCommandText } from './command-text.ts';
import type { cliArgument, cliKeys } from './schema.ts';

/** One argument of a command line. */
export interface CliArgument {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'file';
  readonly required: boolean;
  readonly default: string | number | boolean | readonly (string | number)[] | undefined;
  readonly enum: readonly (string | number)[] | undefined;
  readonly pattern: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** The flag as written; `undefined` for `--name-with-hyphens`. */
  readonly flag: string | undefined;
  /** The flag for `false` of a boolean; `undefined` where that gives none. */
  readonly negated?: string | undefined;
  /** Whether the flag stands between the program and its subcommand. */
  readonly isGlobal?: boolean | undefined;
  readonly style: 'joined' | 'separate' | undefined;
  readonly place: 'flag' | 'positional' | 'tail' | 'cwd' | 'stdin';
  readonly isPath: boolean;
  /** Whether a call that writes may write there; `undefined` for yes, and for a working folder for no. */
  readonly writes?: boolean | undefined;
  /** How a value is read that can also be something else than a path. */
  readonly pathForm?: PathForm | undefined;
  /** What a call that gives it may do, where that is more than the risk of the tool. */
  readonly risk?: ArgumentRisk | undefined;
  /** How the contents of a file, or what is read, are written; `undefined` for other arguments. */
  readonly file?: FileStyle | undefined;
  /** How several values are written; `undefined` for an argument with one. */
  readonly list?: ListStyle | undefined;
  /** The flags of which each element gives one, in the order of a call; `undefined` for other arguments. */
  readonly sequence?: readonly CliArgument[] | undefined;
  /** The first key about several values that says nothing for an argument of this type. */
  readonly unusedKey?: ListKey | undefined;
}

type ListKey = 'items' | 'join' | 'spread' | 'pair';

/** How an argument with several values is written. */
interface ListStyle {
  readonly items: 'string' | 'integer' | 'number' | 'file';
  /** What stands between values that share one element; `undefined` where each has its own. */
  readonly join: string | undefined;
  /** Whether the flag stands once, before all values. */
  readonly isSpread: boolean;
  /** What stands between a key and its value; `undefined` where they are two elements. */
  readonly pair: string | undefined;
  /** Where a text is split; `undefined` for arrays and objects. */
  readonly split: RegExp | undefined;
  /** What stands before the values of a tail. */
  readonly before: string | undefined;
}

/** What the person who approves a call is asked. */
export interface Confirmation {
  /** The question, with `{argument}` and `{variable}` where values belong. */
  readonly message: string;
  /** Commands whose output the variables stand for. */
  readonly resolve: Readonly<Record<string, { readonly argv: readonly string[]; readonly timeout: number }>>;
}

/** Which arguments go together, by their names. */
export interface ArgumentGroups {
  /** Only one of each. */
  readonly exclusive: readonly (readonly string[])[];
  /** All of each, or none. */
  readonly together: readonly (readonly string[])[];
  /** At least one of each. */
  readonly oneOf: readonly (readonly string[])[];
}

/** A command line with typed arguments. */
export interface CliSettings {
  readonly command: readonly string[];
  readonly args: readonly CliArgument[];
  /** Fixed elements at the very end. */
  readonly trailing: readonly string[];
  readonly separator: '--' | '--end-of-options' | './' | undefined;
  /** Whether flags stand before positionals. */
  readonly flagsFirst?: boolean | undefined;
  readonly groups?: ArgumentGroups | undefined;
  readonly confirmation: Confirmation | undefined;
  readonly running: RunSettings;
  /** Whether an argument says that it is a path, or that it is none; where none does, only the entry's `paths` tells. */
  readonly marksPaths: boolean;
}

/** An entry with `type: cli`. */
export type CliEntry = ToolEntry<CliSettings>;

type WrittenCli = z.input<typeof cliKeys>;
type WrittenArgument = z.input<typeof cliArgument>;

/** Reads the keys of a command line. */
export function readCli(written: WrittenCli, context: ReadContext): CliSettings {
  return {
    command: readCommand(written.command, context),
    args: (written.args ?? []).map(readArgument),
    confirmation: written.confirm_message === undefined ? undefined : { message: written.confirm_message, resolve: {} },
    trailing: [],
    separator: written.separator,
    flagsFirst: written.flags === 'first',
    groups: readGroups(written),
    running: readRunning(written, context),
    marksPaths: (written.args ?? []).some(
      ({ path, cwd, sequence = [] }) =>
        path !== undefined || cwd === true || sequence.some((flag) => flag.path !== undefined),
    ),
  };
}

/** A text is split at blanks; what only a shell would understand in it is an error. */
function readCommand(command: WrittenCli['command'], context: ReadContext): readonly string[] {
  if (typeof command !== 'string') return command;
  const fault = checkCommandText(command);
  if (fault !== undefined) context.addError(['command'], fault);
  return command.split(/\s+/).filter((word) => word !== '');
}

function readArgument(arg: WrittenArgument): CliArgument {
  return {
    name: arg.name,
    description: arg.description,
    type: arg.type ?? 'string',
    required: arg.required ?? false,
    default: arg.default ?? undefined,
    enum: arg.enum,
    pattern: arg.pattern,
    min: arg.min,
    max: arg.max,
    flag: arg.flag,
    negated: arg.negated,
    isGlobal: arg.global === true,
    style: arg.style ?? 'joined',
    place: placeOf(arg),
    isPath: (arg.path !== undefined && arg.path !== false) || arg.cwd === true,
    writes: arg.writes,
    ...readForm(arg.path),
    ...(arg.risk === undefined ? {} : { risk: arg.risk }),
    file: readFile(arg),
    list: readList(arg),
    ...(arg.sequence === undefined ? {} : { sequence: arg.sequence.map(readArgument) }),
    unusedKey: LIST_KEYS.find((key) => arg[key] !== undefined && !usesKey(arg, key)),
  };
}

function readForm(path: WrittenArgument['path']): Pick<CliArgument, 'pathForm'> {
  if (typeof path === 'string') return { pathForm: { form: path } };
  return typeof path === 'object' ? { pathForm: path } : {};
}

const LIST_KEYS: readonly ListKey[] = ['join', 'spread', 'items', 'pair'];

function usesKey({ type, split }: WrittenArgument, key: ListKey): boolean {
  if (key === 'items') return type === 'array';
  return type === 'object' || (key !== 'pair' && (type === 'array' || split !== undefined));
}

function readFile({ type, items, extension = '', encoding = 'text' }: WrittenArgument): FileStyle | undefined {
  const isFile = type === 'file' || (type === 'array' && items === 'file');
  // An argument that has no use for them is told by `check`.
  return isFile || extension !== '' || encoding !== 'text' ? { extension, encoding } : undefined;
}

/** The files that a call of these arguments writes; `undefined` for none. */
export function filesOf(args: readonly CliArgument[]): Readonly<Record<string, FileStyle>> | undefined {
  const files = args.flatMap((arg) => (isFileArgument(arg) && arg.file !== undefined ? [[arg.name, arg.file]] : []));
  return files.length === 0 ? undefined : Object.fromEntries(files);
}

/**
 * The arguments with a risk of their own; a flag of a sequence is `filters.exclude_from`. Behind a tail without `--` a command may still look for flags, so it has the greatest of
 * these risks unless it states its own.
 */
export function argumentRisks(args: readonly CliArgument[]): Readonly<Record<string, ArgumentRisk>> | undefined {
  const stated = args
    .flatMap((arg) => [arg, ...(arg.sequence ?? []).map((flag) => ({ ...flag, name: `${arg.name}.${flag.name}` }))])
    .flatMap(({ name, risk }): [string, ArgumentRisk][] => (risk === undefined ? [] : [[name, risk]]));
  if (stated.length === 0) return undefined;
  const most = (['destructive', 'write'] as const).find((level) =>
    stated.some(([, risk]) => levelsOf(risk).includes(level)),
  );
  const open = args.filter(
    ({ place, list, risk }) => place === 'tail' && list?.before === undefined && risk === undefined,
  );
  return Object.fromEntries([...stated, ...(most === undefined ? [] : open.map(({ name }) => [name, most]))]);
}

/** Whether the values of an argument are contents of files. */
export function isFileArgument({ type, list }: CliArgument): boolean {
  return type === 'file' || (type === 'array' && list?.items === 'file');
}

function placeOf({ cwd, stdin, positional, tail }: WrittenArgument): CliArgument['place'] {
  if (cwd === true) return 'cwd';
  if (stdin === true) return 'stdin';
  if (tail === true || tail === '--') return 'tail';
  return positional === true ? 'positional' : 'flag';
}

const SPLITS = { space: /\s+/, comma: /\s*,\s*/, lines: /\r?\n/ } as const;

function readList({ type, items, join, spread, pair, split, tail }: WrittenArgument): ListStyle | undefined {
  if (type !== 'array' && type !== 'object' && split === undefined) return undefined;
  return {
    items: items ?? 'string',
    join,
    isSpread: spread === true,
    pair: pair === 'separate' ? undefined : (pair ?? '='),
    split: split && SPLITS[split],
    before: tail === '--' ? '--' : undefined,
  };
}

function readGroups({ exclusive, together, one_of: oneOf }: WrittenCli): ArgumentGroups | undefined {
  if (exclusive === undefined && together === undefined && oneOf === undefined) return undefined;
  return { exclusive: exclusive ?? [], together: together ?? [], oneOf: oneOf ?? [] };
}
