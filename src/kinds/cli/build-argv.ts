import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { CliArgument, CliSettings } from './cli-settings.ts';
import { compilePattern } from '../../tool/schema/pattern.ts';
import { isGit } from '../running/git-settings.ts';

/** The words and input of a command. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly stdin: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** Builds the command line of a call: each value is one element, and none can be read as a flag. */
export function buildCommandLine(settings: CliSettings, values: Values): CommandLine {
  const given = settings.args.flatMap((arg): Given[] => {
    const value = Object.hasOwn(values, arg.name) ? values[arg.name] : undefined;
    return value === undefined || value === null ? [] : [{ arg, texts: toTexts(arg, value), value }];
  });
  const at = (place: CliArgument['place']): Given[] => given.filter(({ arg }) => arg.place === place);
  const positionals = placePositionals(settings, at('positional'));
  const flags = given.filter(({ arg }) => arg.place === 'flag' || (arg.place === 'stdin' && arg.flag !== undefined));
  const stdin = at('stdin').find(({ arg }) => readsStdin(arg));
  const globals = flags.filter(({ arg }) => arg.isGlobal === true);
  const own = globals.length === 0 ? flags : flags.filter(({ arg }) => arg.isGlobal !== true);
  const words = at('tail').flatMap(placeTail);
  const needsEnd = words.length === 0 && positionals.length > 0 && isGit(settings.command[0] ?? '');
  const tail = needsEnd && settings.args.some(endsWords) ? ['--'] : words;
  // After a separator everything is a value, so flags go before it.
  const isLast = settings.separator === '--' || settings.separator === '--end-of-options';
  const isFirst = isLast || settings.flagsFirst === true;
  const { trailing } = settings;
  const flagged = endList(own, isFirst ? [...trailing, ...positionals, ...tail] : [...trailing, ...tail]);
  const command =
    globals.length === 0 ? settings.command : settings.command.toSpliced(1, 0, ...globals.flatMap(placeFlag));
  return {
    argv: isFirst
      ? [...command, ...flagged, ...trailing, ...positionals, ...tail]
      : [...command, ...positionals, ...flagged, ...trailing, ...tail],
    cwd: at('cwd')[0]?.texts[0],
    stdin: stdin?.texts.join('\n'),
  };
}

/** Returns flags as elements. If a list of values ends them, `--` separates it from what follows. */
function endList(flags: readonly Given[], next: readonly string[]): string[] {
  const placed = flags.flatMap(placeFlag);
  const last = flags.findLast((given) => placeFlag(given).length > 0);
  const isOpen = last?.arg.list?.isSpread === true && next.length > 0 && !/^--(?:end-of-options)?$/.test(next[0] ?? '');
  return isOpen ? [...placed, '--'] : placed;
}

/** An argument of a call with one string for each value. */
interface Given {
  readonly arg: CliArgument;
  readonly texts: readonly string[];
  readonly value: unknown;
}

/** Converts a value to strings, each of which becomes an element or a part of a joined one. */
function toTexts(arg: CliArgument, value: unknown): string[] {
  const { list, name } = arg;
  // Its flags have their own strings.
  if (arg.sequence !== undefined) return [];
  const texts = valuesOf(arg, value);
  const join = list?.join;
  if (join === undefined || texts.length === 0) return texts;
  const odd = texts.find((text) => text.includes(join));
  if (odd !== undefined) {
    const rule = `a value must not contain ${JSON.stringify(join)}, which separates values here`;
    throw refuse(name, { rule, text: odd, advice: 'Send a value without it.' });
  }
  return [texts.join(join)];
}

export function valuesOf({ list, name }: CliArgument, value: unknown): string[] {
  if (list === undefined) return [toText(value)];
  const { split, pair } = list;
  if (isPlainObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => {
      if (key === '' || (pair !== undefined && key.includes(pair))) {
        const rule = `a key must be some text${pair === undefined ? '' : ` without ${JSON.stringify(pair)}, which separates key and value`}`;
        throw refuse(name, { rule, text: key, advice: 'Send another key.' });
      }
      return pair === undefined ? [key, toText(item)] : [`${key}${pair}${toText(item)}`];
    });
  }
  if (Array.isArray(value)) return value.map(toText);
  if (split === undefined) return [toText(value)];
  return toText(value)
    .split(split)
    .filter((part) => part !== '');
}

function placePositionals({ separator }: CliSettings, given: readonly Given[]): string[] {
  const texts = given.flatMap((each) => each.texts);
  const dashed = given.find(({ arg, texts: own }) => own.some((text) => startsWithDash(arg, text)));
  if (dashed === undefined) return texts;
  switch (separator) {
    case '--':
    case '--end-of-options':
      return [separator, ...texts];
    case './':
      return given.flatMap(({ arg, texts: own }) =>
        own.map((text) => (startsWithDash(arg, text) ? `./${text}` : text)),
      );
    default:
      throw refuseDash(dashed, 'a value here must not start with "-", which the command would read as a flag');
  }
}

/** True when paths follow `--`: without it, git may take a word for a path. */
function endsWords({ place, isPath, list }: CliArgument): boolean {
  return place === 'tail' && isPath && list?.before !== undefined;
}

/** Places the words of another command line: only the first could be read as a flag of this one. */
function placeTail(given: Given): string[] {
  const { arg, texts } = given;
  const before = arg.list?.before;
  if (before !== undefined) return texts.length === 0 ? [] : [before, ...texts];
  if (texts[0]?.startsWith('-') === true) {
    throw refuseDash(given, 'the first value here must not start with "-", which the command would read as a flag');
  }
  return [...texts];
}

function placeFlag(given: Given): string[] {
  const { arg, texts, value } = given;
  if (arg.sequence !== undefined) return sequenceValues(arg, value).flatMap((each) => placeFlag(toGiven(each)));
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  if (arg.place === 'stdin') {
    // A flag with standard input: it reads from there, or gets the value if it cannot.
    if (flag.endsWith('stdin')) return [flag];
    if (readsStdin(arg)) return [flag, '-'];
  }
  if (arg.type === 'boolean') {
    if (value === true) return [flag];
    return value === false && arg.negated !== undefined ? [arg.negated] : [];
  }
  if (arg.list?.isSpread === true && texts.length > 0) {
    checkDash(given, flag);
    return [flag, ...texts];
  }
  if (arg.type === 'object' && arg.list?.pair === undefined) return placePairs(given, flag);
  return texts.flatMap((text) => placeValue(given, flag, text));
}

function toGiven({ flag, value }: SequenceValue): Given {
  return { arg: flag, texts: toTexts(flag, value), value };
}

/** A flag of a sequence in a call, and the path of its value. */
interface SequenceValue {
  readonly flag: CliArgument;
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

/** Returns the flags of a sequence in the order of the call. */
export function sequenceValues({ name, sequence = [] }: CliArgument, value: unknown): SequenceValue[] {
  const elements: unknown[] = Array.isArray(value) ? value : [];
  return elements.flatMap((element, index) =>
    sequence.flatMap((flag): SequenceValue[] => {
      const given = isPlainObject(element) && Object.hasOwn(element, flag.name) ? element[flag.name] : undefined;
      return given === undefined || given === null ? [] : [{ flag, value: given, path: [name, index, flag.name] }];
    }),
  );
}

/** `--arg key value` for each pair; a flag that ends in `:` or `=` is joined to the key: `-c:v libx264`. */
function placePairs(given: Given, flag: string): string[] {
  const { texts } = given;
  const isJoined = /[:=]$/.test(flag);
  checkDash(isJoined ? { ...given, texts: texts.filter((_, index) => index % 2 === 1) } : given, flag);
  return texts.flatMap((key, index) =>
    index % 2 === 1 ? [] : [...(isJoined ? [`${flag}${key}`] : [flag, key]), texts[index + 1] ?? ''],
  );
}

function placeValue(given: Given, flag: string, text: string): string[] {
  const { arg } = given;
  if (flag.endsWith('=')) return [`${flag}${text}`];
  if (flag.startsWith('--') && arg.style !== 'separate') {
    // CLImax files expect two elements; there only a value that starts with a dash is joined.
    if (arg.style === 'joined' || startsWithDash(arg, text)) return [`${flag}=${text}`];
    return [flag, text];
  }
  checkDash(given, flag);
  return [flag, text];
}

function checkDash(given: Given, flag: string): void {
  if (given.texts.some((text) => startsWithDash(given.arg, text))) {
    throw refuseDash(given, `a value of ${flag} must not start with "-", which the command would read as a flag`);
  }
}

/** True when an argument with both a flag and `stdin` is read from standard input: `--body-file -`, `--stdin`. */
function readsStdin({ flag }: CliArgument): boolean {
  return flag === undefined || /(?:file|stdin)$/.test(flag) || flag === '-F';
}

/**
 * A negative number is a value, not a flag; so is one with a suffix if the entry's own pattern requires the number. A pattern
 * without it may match any text: `-9m` is two flags for many commands.
 */
function startsWithDash({ type, list, pattern }: CliArgument, text: string): boolean {
  const kind = type === 'array' ? list?.items : type;
  const [, number, rest = ''] = /^-(\d[\d.]*)(.*)$/s.exec(text) ?? [];
  if (number !== undefined && (rest === '' ? pattern !== undefined : asksForNumber(pattern, rest))) return false;
  return text.startsWith('-') && kind !== 'integer' && kind !== 'number';
}

function asksForNumber(pattern: string | undefined, rest: string): boolean {
  return pattern !== undefined && !compilePattern(pattern, { whole: true })(`-${rest}`);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}

function refuseDash({ arg, texts }: Given, rule: string): ToolError {
  const text = texts.find((each) => each.startsWith('-')) ?? '';
  const advice = `Send a value that starts otherwise, such as "./${shorten(text)}" for a file.`;
  return refuse(arg.name, { rule, text, advice });
}

function refuse(
  name: string,
  { rule, text, advice }: { readonly rule: string; readonly text: string; readonly advice: string },
): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `Argument "${name}": ${rule}; got ${JSON.stringify(shorten(text))}. ${advice}`,
    field: name,
    reason: rule,
  });
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
