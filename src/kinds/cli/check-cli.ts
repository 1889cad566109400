import { findProgramValue, programMessage, VALUE } from '../../platform/process/find-program-value.ts';
import { findInterpreter, findScript, inputMessage, SHELL_MESSAGE } from '../running/find-script.ts';
import { riskOfValue } from '../../tool/parameters/argument-risk.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { EntryFault } from '../kind.ts';
import { findGroupFaults } from './check-groups.ts';
import { type CliArgument, type CliSettings, isFileArgument } from './cli-settings.ts';

/**
 * Finds settings that contradict each other, arguments that a shell or an interpreter would run as a program, and those that
 * another command may run.
 */
export function checkCli(settings: CliSettings, paths: readonly string[] = []): EntryFault[] {
  return [
    ...findPlaceFaults(settings),
    ...findPatternFaults(settings),
    ...findListFaults(settings),
    ...findFlagFaults(settings),
    ...findLimitFaults(settings),
    ...findValueFaults(settings),
    ...findTwins(settings),
    ...findRiskFaults(settings),
    ...findFormFaults(settings),
    ...findFileFaults(settings, paths),
    ...findGroupFaults(settings),
    ...findPrograms(settings),
    ...findSequenceFaults(settings),
  ];
}

/** Keys of an argument that cannot be combined with a sequence, with a test for each. */
const SEQUENCE_FREE: readonly (readonly [string, (arg: CliArgument) => boolean])[] = [
  ['positional', ({ place }) => place === 'positional'],
  ['tail', ({ place }) => place === 'tail'],
  ['cwd', ({ place }) => place === 'cwd'],
  ['stdin', ({ place }) => place === 'stdin'],
  ['flag', ({ flag }) => flag !== undefined],
  ['enum', (arg) => arg.enum !== undefined],
  ['pattern', ({ pattern }) => pattern !== undefined],
  ['path', ({ isPath, place }) => isPath && place !== 'cwd'],
  ['default', (arg) => arg.default !== undefined],
  ['join', ({ list }) => list?.join !== undefined],
  ['spread', ({ list }) => list?.isSpread === true],
  ['items', ({ list }) => list !== undefined && list.items !== 'string'],
];

/** Finds faults of a sequence's flags, and keys that its argument cannot have. */
function findSequenceFaults(settings: CliSettings): EntryFault[] {
  return settings.args.flatMap((arg, index): EntryFault[] => {
    const { sequence, type } = arg;
    if (sequence === undefined) return [];
    if (type !== 'array') return [{ path: ['args', index, 'sequence'], message: 'is for type: array.' }];
    const other = SEQUENCE_FREE.find(([, isSaid]) => isSaid(arg))?.[0];
    if (other !== undefined) {
      const message = 'cannot be combined with sequence; set it on the flags of the sequence.';
      return [{ path: ['args', index, other], message }];
    }
    const inner = { ...settings, args: sequence, groups: undefined };
    const faults = [
      findPatternFaults,
      findLimitFaults,
      findValueFaults,
      findTwins,
      findRiskFaults,
      findFormFaults,
      findPrograms,
    ].flatMap((find) => find(inner));
    return faults.map((fault) => ({ ...fault, path: ['args', index, 'sequence', ...fault.path.slice(1)] }));
  });
}

/**
 * Finds arguments in places that are taken: a second standard input or working folder, and values that cannot be distinguished
 * from those after them.
 */
function findPlaceFaults({ args, groups }: CliSettings): EntryFault[] {
  const alternatives = new Set(groups?.oneOf.flat());
  return args.flatMap(({ place, name, required, default: value }, index): EntryFault[] => {
    const first = args.find((other) => other.place === place);
    if ((place === 'stdin' || place === 'cwd') && first !== args[index]) {
      return [{ path: ['args', index, place], message: `only one argument can be that, and "${first?.name}" is.` }];
    }
    const next = args
      .slice(index + 1)
      .find((other) => other.place === 'positional' && other.required && other.list !== undefined);
    if (place !== 'positional' || required || value !== undefined || next === undefined) return [];
    // `(-f FILE | TYPE [NAME]) KEY=VAL...`: another argument replaces it, and the command distinguishes the two forms.
    if (args.slice(0, index + 1).some((other) => other.place === 'positional' && alternatives.has(other.name)))
      return [];
    const message = `"${name}" is optional, but "${next.name}" after it is required: in a call without "${name}" the other values move up. Give it a default, or put it last.`;
    return [{ path: ['args', index, 'positional'], message, severity: 'warning' }];
  });
}

/** Finds invalid patterns. */
function findPatternFaults({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ pattern }, index): EntryFault[] => {
    if (pattern === undefined) return [];
    try {
      // Both dialects share this syntax; patterns that only one accepts are reported when the tool is created.
      RegExp(`^(?:${pattern})$`, 'u');
      return [];
    } catch (error) {
      const message = `must be a regular expression: ${messageOf(error).replace(/^Invalid regular expression: /, '')}.`;
      return isOtherDialect(pattern) ? [] : [{ path: ['args', index, 'pattern'], message }];
    }
  });
}

/** RE2 has escapes and flags that JavaScript lacks. */
function isOtherDialect(pattern: string): boolean {
  return /\(\?[imsU-]|\\[zAQEC]|\(\?P|\[\[:|\\p\{?[A-Z]|\\[-\s"'#%&,:;<=>@_`~!]/.test(pattern);
}

/** Finds flag settings on arguments without a flag. */
function findFlagFaults({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ type, place, negated, isGlobal }, index): EntryFault[] => {
    const fault = (key: string, message: string): EntryFault => ({ path: ['args', index, key], message });
    if (negated !== undefined && type !== 'boolean') return [fault('negated', 'is for type: boolean only.')];
    return isGlobal === true && place !== 'flag' ? [fault('global', 'is for flags only.')] : [];
  });
}

/** Finds path forms without effect. */
function findFormFaults({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ pathForm, type, list, place }, index): EntryFault[] => {
    if (pathForm === undefined) return [];
    const fault = (message: string): EntryFault[] => [{ path: ['args', index, 'path'], message }];
    if (place === 'cwd') return fault('the working directory is a local path: write path: true, or omit it.');
    const kind = type === 'array' ? list?.items : type;
    if (kind !== 'string' && kind !== 'object') return fault(`"${pathForm.form}" is for texts.`);
    const { form, schemes } = pathForm;
    return schemes === undefined || form === 'url' || form === 'address' || form === 'host'
      ? []
      : fault(`schemes are for url, address and host, not for ${form}.`);
  });
}

/** Finds file settings that do not fit the argument. */
function findFileFaults({ args }: CliSettings, paths: readonly string[]): EntryFault[] {
  return args.flatMap((arg, index): EntryFault[] => {
    const { file, name, place, isPath } = arg;
    const fault = (key: string, message: string): EntryFault => ({ path: ['args', index, key], message });
    const isFile = isFileArgument(arg);
    if (isFile && (place === 'cwd' || place === 'stdin')) return [fault(place, 'takes a text, not a file.')];
    if (isFile && (isPath || paths.includes(name))) {
      return [fault('type', 'the board writes this file, so it is not a path of a call. Remove path and paths.')];
    }
    if (file === undefined || isFile) return [];
    if (file.extension !== '') return [fault('extension', 'is for type: file.')];
    return place === 'stdin' ? [] : [fault('encoding', 'is for type: file and stdin.')];
  });
}

const SEVERAL = 'It is for several values: use type: array, or split for one text with several values.';
const UNUSED: Readonly<Record<NonNullable<CliArgument['unusedKey']>, string>> = {
  join: SEVERAL,
  spread: SEVERAL,
  items: 'It is for type: array.',
  pair: 'It is for type: object.',
};

/** Finds list settings that do not fit the argument. */
function findListFaults({ args }: CliSettings): EntryFault[] {
  const tail = args.findIndex(({ place }) => place === 'tail');
  return args.flatMap(({ type, list, enum: values, default: value, place, unusedKey }, index): EntryFault[] => {
    const fault = (key: string, message: string): EntryFault => ({ path: ['args', index, key], message });
    if (unusedKey !== undefined) {
      const message = `has no effect for type: ${type}. ${UNUSED[unusedKey]}`;
      return [{ ...fault(unusedKey, message), severity: 'warning' }];
    }
    if (place === 'tail' && index !== tail) return [fault('tail', 'only one argument can come after all others.')];
    if (list === undefined) return Array.isArray(value) ? [fault('default', 'is a list; use type: array.')] : [];
    if (place === 'cwd' || place === 'stdin') return [fault(place, 'takes one value, not several.')];
    if (type === 'object' && list.pair === undefined && list.join !== undefined) {
      return [fault('join', 'cannot be combined with pair: separate, which makes two elements of each pair.')];
    }
    if (type === 'object' && value !== undefined) return [fault('default', 'cannot be given for an object.')];
    if (type === 'array' && value !== undefined && !Array.isArray(value)) {
      return [fault('default', `must be a list, such as [${JSON.stringify(value)}].`)];
    }
    const odd = values?.find((each) => list.join !== undefined && String(each).includes(list.join));
    return odd === undefined ? [] : [fault('enum', `${JSON.stringify(odd)} contains the separator of values (join).`)];
  });
}

/** Finds limits on arguments that are not numbers, and limits that no number can meet. */
function findLimitFaults({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ type, list, min, max }, index): EntryFault[] => {
    if (min === undefined && max === undefined) return [];
    const kind = type === 'array' ? list?.items : type;
    const key = min === undefined ? 'max' : 'min';
    if (kind !== 'integer' && kind !== 'number') {
      return [{ path: ['args', index, key], message: 'is a limit for numbers; use type: integer or number.' }];
    }
    const isEmpty = min !== undefined && max !== undefined && min > max;
    return isEmpty ? [{ path: ['args', index, 'min'], message: `is above max (${max}).` }] : [];
  });
}

/** Finds defaults and choices that the argument's type rejects, so that calls would fail. */
function findValueFaults({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ type, list, enum: values, default: value }, index): EntryFault[] => {
    const fault = (key: string, message: string): EntryFault => ({
      path: ['args', index, key],
      message,
      severity: 'warning',
    });
    const wanted = type === 'array' ? (list?.items ?? 'string') : type;
    const odd = values?.find((each) => !isOf(wanted, each));
    if (odd !== undefined) {
      return [
        fault('enum', `no call can give ${JSON.stringify(odd)}, which is ${not(wanted)}. ${remedy(wanted, odd)}`),
      ];
    }
    for (const each of value === undefined ? [] : [value].flat()) {
      const shown = JSON.stringify(each);
      if (!isOf(wanted, each)) return [fault('default', `${shown} is ${not(wanted)}, so a call without it fails.`)];
      if (values !== undefined && typeof each !== 'boolean' && !values.includes(each)) {
        return [fault('default', `${shown} is none of the values of enum, so a call without it fails.`)];
      }
    }
    return [];
  });
}

function isOf(type: CliArgument['type'], value: string | number | boolean): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === 'object' || typeof value === (type === 'file' ? 'string' : type);
}

function not(type: CliArgument['type']): string {
  return type === 'string' || type === 'file' ? 'no text' : `no ${type}`;
}

function remedy(type: CliArgument['type'], value: string | number): string {
  if (type !== 'string') return 'Correct it, or the type.';
  return `Say type: ${Number.isInteger(value) ? 'integer' : 'number'}, or write it in quotes.`;
}

/** Finds arguments with the same name, which would get one value, and impossible flags. */
function findTwins({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ name, place, flag }, index): EntryFault[] => {
    const fault = (key: string, message: string): EntryFault => ({
      path: ['args', index, key],
      message,
      severity: 'warning',
    });
    if (args.findIndex((other) => other.name === name) < index) {
      const message = `"${name}" occurs twice, and one value is written in both places. Rename one.`;
      return [{ path: ['args', index, 'name'], message }];
    }
    return place === 'positional' && flag !== undefined
      ? [fault('flag', 'is not used, as a positional value has none. Remove flag or positional.')]
      : [];
  });
}

/** Finds risks of arguments that every call has: the tool's own risk would be too low. */
function findRiskFaults({ args }: CliSettings): EntryFault[] {
  return args.flatMap(({ name, risk, default: value, negated }, index): EntryFault[] => {
    const fault = (message: string): EntryFault => ({ path: ['args', index, 'risk'], message });
    if (risk === undefined) return [];
    const unsaid = riskOfValue(risk, value);
    if (unsaid !== undefined && unsaid !== 'read') {
      return [fault(`"${name}" has a default, so every call has this risk. Set it as the risk of the tool.`)];
    }
    // A table may have a risk for false.
    return negated === undefined || risk === 'read' || typeof risk !== 'string'
      ? []
      : [fault(`holds where "${name}" is true; ${negated}, which means false, needs its own argument.`)];
  });
}

function findPrograms(settings: CliSettings): EntryFault[] {
  return settings.args.flatMap((arg, index): EntryFault[] => {
    const interpreter = settings.running.sandbox === undefined ? interpreterOf(settings, arg) : undefined;
    if (interpreter !== undefined) {
      return [{ path: ['args', index], message: inputMessage(interpreter), severity: 'warning' }];
    }
    for (const line of linesOf(settings, arg)) {
      const at = line.length - 1;
      if (findScript(line) === at) return [{ path: ['args', index], message: SHELL_MESSAGE }];
      const why = isOpen(arg) ? findProgramValue(line, at) : undefined;
      // A note for the author: reported by `validate`, not with every call.
      if (why !== undefined) return [{ path: ['args', index], message: programMessage(why), severity: 'note' }];
    }
    return [];
  });
}

/** Returns the interpreter that runs the text of this argument, as a file or from standard input. */
function interpreterOf(settings: CliSettings, arg: CliArgument): string | undefined {
  if (arg.place === 'stdin' && arg.flag === undefined) {
    const hasWords = settings.args.some(({ place }) => place === 'positional' || place === 'tail');
    return hasWords ? undefined : findInterpreter(settings.command);
  }
  const isFirst = isFileArgument(arg) && (arg.place === 'positional' || arg.place === 'tail');
  return isFirst ? findInterpreter(startOf(settings, arg) ?? []) : undefined;
}

/**
 * Returns the command line up to this argument's value, and up to a second one if it has several; words before it are
 * placeholders.
 */
function linesOf(settings: CliSettings, arg: CliArgument): readonly (readonly string[])[] {
  const start = startOf(settings, arg);
  if (start === undefined) return [];
  const last = start.at(-1) ?? '';
  if (last.endsWith('=')) return [[...start.slice(0, -1), `${last}${VALUE}`]];
  const one = [...start, VALUE];
  return arg.list === undefined ? [one] : [one, [...one, VALUE]];
}

/** Returns the elements before the value; `undefined` if it is not an element. */
function startOf({ command, args }: CliSettings, arg: CliArgument): readonly string[] | undefined {
  const words = args.filter(({ place }) => place === 'positional');
  if (arg.place === 'tail')
    return [...command, ...words.map(() => VALUE), ...(arg.list?.before === undefined ? [] : ['--'])];
  if (arg.place === 'positional') return [...command, ...words.slice(0, words.indexOf(arg)).map(() => VALUE)];
  const isNoElement = arg.type === 'boolean' || arg.sequence !== undefined;
  if (arg.place === 'cwd' || (arg.place === 'stdin' && arg.flag === undefined) || isNoElement) return undefined;
  // A global flag comes right after the program.
  return [...(arg.isGlobal === true ? command.slice(0, 1) : command), arg.flag ?? `--${arg.name.replaceAll('_', '-')}`];
}

/** True when any text is allowed. */
function isOpen({ type, list, enum: values, pattern }: CliArgument): boolean {
  const isText = type === 'string' || type === 'object' || (type === 'array' && list?.items === 'string');
  return isText && values === undefined && pattern === undefined;
}
