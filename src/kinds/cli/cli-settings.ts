import type { z } from 'zod';
import type { PathForm } from '../../tool/parameters/find-values.ts';
import { type ArgumentRisk, levelsOf } from '../../tool/parameters/argument-risk.ts';
import type { ReadContext, ToolEntry } from '../kind.ts';
import { type FileStyle, readRunning, type RunSettings } from '../running/run-settings.ts';
import type { cliArgument, cliKeys } from './schema.ts';

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
  /** The flag for `false` of a boolean; `undefined` if there is none. */
  readonly negated?: string | undefined;
  /** True when the flag goes between the program and its subcommand. */
  readonly isGlobal?: boolean | undefined;
  readonly style: 'joined' | 'separate' | undefined;
  readonly place: 'flag' | 'positional' | 'tail' | 'cwd' | 'stdin';
  readonly isPath: boolean;
  /** True when a writing call may write there. Default: true, but false for a working folder. */
  readonly writes?: boolean | undefined;
  /** The form of a value that can also be something other than a path. */
  readonly pathForm?: PathForm | undefined;
  /** The risk of a call that gives it, if higher than the tool's. */
  readonly risk?: ArgumentRisk | undefined;
  /** The format of a file's contents or of standard input; `undefined` for other arguments. */
  readonly file?: FileStyle | undefined;
  /** The notation of several values; `undefined` for a single value. */
  readonly list?: ListStyle | undefined;
  /** The flags of a list whose elements are one flag each, in the order of a call; `undefined` for other arguments. */
  readonly sequence?: readonly CliArgument[] | undefined;
  /** The first list key that has no effect for this type. */
  readonly unusedKey?: ListKey | undefined;
}

type ListKey = 'items' | 'join' | 'spread' | 'pair';

interface ListStyle {
  readonly items: 'string' | 'integer' | 'number' | 'file';
  /** The separator of values in one element; `undefined` if each has its own. */
  readonly join: string | undefined;
  /** True when the flag occurs once, before all values. */
  readonly isSpread: boolean;
  /** The separator of key and value; `undefined` if they are two elements. */
  readonly pair: string | undefined;
  /** The separator at which a text is split; `undefined` for arrays and objects. */
  readonly split: RegExp | undefined;
  /** The element before the values of a tail. */
  readonly before: string | undefined;
}

/** The question for the person who approves a call. */
export interface Confirmation {
  /** The question, with `{argument}` and `{variable}` as placeholders. */
  readonly message: string;
  /** Commands whose output replaces the variables. */
  readonly resolve: Readonly<Record<string, { readonly argv: readonly string[]; readonly timeout: number }>>;
}

export interface ArgumentGroups {
  /** At most one of each group. */
  readonly exclusive: readonly (readonly string[])[];
  /** All of each group, or none. */
  readonly together: readonly (readonly string[])[];
  /** At least one of each group. */
  readonly oneOf: readonly (readonly string[])[];
}

/** A command line with typed arguments. */
export interface CliSettings {
  readonly command: readonly string[];
  readonly args: readonly CliArgument[];
  /** Fixed elements at the end. */
  readonly trailing: readonly string[];
  readonly separator: '--' | '--end-of-options' | './' | undefined;
  readonly flagsFirst?: boolean | undefined;
  readonly groups?: ArgumentGroups | undefined;
  readonly confirmation: Confirmation | undefined;
  readonly running: RunSettings;
  /** True when an argument is marked as a path or as no path; otherwise only the entry's `paths` counts. */
  readonly marksPaths: boolean;
}

export type CliEntry = ToolEntry<CliSettings>;

type WrittenCli = z.input<typeof cliKeys>;
type WrittenArgument = z.input<typeof cliArgument>;

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

/** Splits a string at spaces; syntax that only a shell understands is an error. */
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
  // `check` reports arguments that cannot use them.
  return isFile || extension !== '' || encoding !== 'text' ? { extension, encoding } : undefined;
}

/** Returns the files that a call with these arguments writes; `undefined` for none. */
export function filesOf(args: readonly CliArgument[]): Readonly<Record<string, FileStyle>> | undefined {
  const files = args.flatMap((arg) => (isFileArgument(arg) && arg.file !== undefined ? [[arg.name, arg.file]] : []));
  return files.length === 0 ? undefined : Object.fromEntries(files);
}

/**
 * Returns the arguments with their own risk; a flag of a sequence is `filters.exclude_from`. After a tail without `--` a command
 * may still look for flags, so the tail has the highest of these risks unless it sets its own.
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

/** True when the values of an argument are contents of files. */
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

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/;
const OPERATORS = new Set(['|', '||', '&', '&&', ';', '<', '<<', '>', '>>']);
/** `2>&1`, `>out.txt`, but not `>=`. */
const REDIRECTION = /^[012&]?>>?(?!=)\S+$/;
/** Words that YAML reads as strings without quotes, even in a flow list. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_./][\w./-]*$|^--?[A-Za-z][\w-]*$/i;

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * Finds syntax that only a shell understands in a command given as a string, which Pegboard splits at spaces; `undefined` for
 * none.
 */
export function checkCommandText(command: string): string | undefined {
  const placeholder = PLACEHOLDER.exec(command);
  if (placeholder !== null) {
    return `"${placeholder[0]}" is not filled in here: values are given under args, such as args: [{name: ${placeholder[1]}, positional: true}]. Write the command as a list to pass it on as it is.`;
  }
  const words = splitAsShell(command);
  const operator = words.find(({ text, isQuoted }) => !isQuoted && isOperator(text));
  const quoted = words.find(({ isQuoted }) => isQuoted);
  const substitution = quoted === undefined ? /\$\(|`/.exec(command)?.[0] : undefined;
  const shell = operator?.text ?? substitution;
  if (shell !== undefined) {
    const list = toList(['sh', '-c', command.trim()]);
    return `there is no shell, and ${JSON.stringify(shell)} would be an argument like any other. Write the command as a list, or run a shell on purpose: command: ${list}.`;
  }
  if (quoted === undefined) return checkWords(words.map(({ text }) => text));
  return `there is no shell, and quotes would be part of the arguments. Write a list: command: ${toList(words.map(({ text }) => text))}.`;
}

/** Finds words that a shell would expand, such as `FOO=1`, `$HOME` and `~/notes`. */
function checkWords(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  const setting = /^([A-Z_][A-Z0-9_]*)=(.*)$/s.exec(first);
  if (setting !== null && words.length > 1) {
    return `there is no shell, and ${JSON.stringify(first)} would be the program. Set variables under env: { ${setting[1]}: ${JSON.stringify(setting[2])} }.`;
  }
  const variable = words.find((word) => /^\$[A-Z_][A-Z0-9_]*$/.test(word));
  if (variable !== undefined) {
    return `there is no shell, and "${variable}" would be an argument like any other. Write \${${variable.slice(1)}} for the value of the variable, or the command as a list to pass it on as it is.`;
  }
  const home = words.find((word) => word === '~' || word.startsWith('~/'));
  if (home === undefined) return undefined;
  return `there is no shell, and "${home}" would be an argument like any other. Write \${HOME}${home.slice(1)}, or the command as a list to pass it on as it is.`;
}

function isOperator(word: string): boolean {
  return OPERATORS.has(word) || word.endsWith(';') || REDIRECTION.test(word);
}

/** Splits a text like a shell. An unclosed quote extends to the end. */
function splitAsShell(command: string): Word[] {
  const words = command.match(/(?:"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+/gs) ?? [];
  return words.map((word) => ({
    text: word.replaceAll(/"((?:\\.|[^"\\])*)(?:"|$)|'([^']*)(?:'|$)/gs, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
    ),
    isQuoted: /["']/.test(word),
  }));
}

function toList(words: readonly string[]): string {
  return `[${words.map((word) => (PLAIN.test(word) ? word : JSON.stringify(word))).join(', ')}]`;
}
