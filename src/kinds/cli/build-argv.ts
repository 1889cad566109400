import { ToolError } from '../../tool/tool-error.ts';
import type { CliArgument, CliSettings } from './cli-settings.ts';

/** Everything a command line is started with. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly stdin: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** Puts a call's values on the command line: one value is one element, and none can be read as a flag. */
export function buildCommandLine(settings: CliSettings, values: Values): CommandLine {
  const given = settings.args.flatMap((arg) => {
    const value = Object.hasOwn(values, arg.name) ? values[arg.name] : undefined;
    return value === undefined || value === null ? [] : [{ arg, text: toText(value), value }];
  });
  const at = (place: CliArgument['place']) => given.filter(({ arg }) => arg.place === place);
  const positionals = placePositionals(settings, at('positional'));
  const flags = [...at('flag'), ...at('stdin').filter(({ arg }) => arg.flag !== undefined)];
  const inOrder = flags.toSorted((a, b) => settings.args.indexOf(a.arg) - settings.args.indexOf(b.arg));
  const stdin = at('stdin').find(({ arg }) => readsStdin(arg));
  const flagged = inOrder.flatMap(placeFlag);
  // Behind a separator everything is a value, so the flags go in front of it.
  const isLast = settings.separator === '--' || settings.separator === '--end-of-options';
  return {
    argv: isLast
      ? [...settings.command, ...flagged, ...settings.trailing, ...positionals]
      : [...settings.command, ...positionals, ...flagged, ...settings.trailing],
    cwd: at('cwd')[0]?.text,
    stdin: stdin?.text,
  };
}

interface Given {
  readonly arg: CliArgument;
  readonly text: string;
  readonly value: unknown;
}

function placePositionals({ separator }: CliSettings, given: readonly Given[]): string[] {
  const dashed = given.find(({ arg, text }) => startsWithDash(arg, text));
  if (dashed === undefined) return given.map(({ text }) => text);
  switch (separator) {
    case '--':
    case '--end-of-options':
      return [separator, ...given.map(({ text }) => text)];
    case './':
      return given.map(({ arg, text }) => (startsWithDash(arg, text) ? `./${text}` : text));
    default:
      throw refuse(dashed, 'a value here must not start with "-", which the command would read as a flag');
  }
}

function placeFlag(given: Given): string[] {
  const { arg, text, value } = given;
  const flag = arg.flag ?? `--${arg.name.replaceAll('_', '-')}`;
  if (arg.place === 'stdin') {
    // The flag of what is fed on standard input: told to read it, or given the value where it cannot.
    if (flag.endsWith('stdin')) return [flag];
    if (readsStdin(arg)) return [flag, '-'];
  }
  if (arg.type === 'boolean') return value === true ? [flag] : [];
  if (flag.endsWith('=')) return [`${flag}${text}`];
  const isLong = flag.startsWith('--');
  if (isLong && arg.style !== 'separate') {
    // CLImax files are written for two elements; there only a value that starts with a dash is joined.
    if (arg.style === 'joined' || startsWithDash(arg, text)) return [`${flag}=${text}`];
    return [flag, text];
  }
  if (startsWithDash(arg, text)) {
    throw refuse(given, `a value of ${flag} must not start with "-", which the command would read as a flag`);
  }
  return [flag, text];
}

/** Whether an argument with both a flag and `stdin` is read from standard input: `--body-file -`, `--stdin`. */
function readsStdin({ flag }: CliArgument): boolean {
  return flag === undefined || /(?:file|stdin)$/.test(flag) || flag === '-F';
}

/** A negative number is a value, not a flag. */
function startsWithDash({ type }: CliArgument, text: string): boolean {
  return text.startsWith('-') && type !== 'integer' && type !== 'number';
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}

function refuse({ arg, text }: Given, rule: string): ToolError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new ToolError({
    code: 'invalid_arguments',
    message: `Argument "${arg.name}": ${rule}; got ${JSON.stringify(shown)}. Send a value that starts otherwise, such as "./${shown}" for a file.`,
    field: arg.name,
    reason: rule,
  });
}
