import { findProgramValue, programMessage, VALUE } from '../../platform/process/find-program-value.ts';
import { findInterpreter, findScript, inputMessage, SHELL_MESSAGE } from '../running/find-script.ts';
import { riskOfValue } from '../../tool/parameters/argument-risk.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { EntryFault } from '../kind.ts';
import { type CliArgument, type CliSettings, isFileArgument } from './cli-settings.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';

/** An argument that is checked: its position, and functions that report a fault of one of its keys. */
interface Checked {
  readonly arg: CliArgument;
  readonly index: number;
  readonly settings: CliSettings;
  /** The paths that the entry lists. */
  readonly paths: readonly string[];
  readonly fault: (key: string, message: string) => EntryFault;
  readonly warning: (key: string, message: string) => EntryFault;
}

/** Finds the fault of one argument. */
type Rule = (checked: Checked) => EntryFault | undefined;

/**
 * Finds settings that contradict each other, arguments that a shell or an interpreter would run as a program, and those that
 * another command may run.
 */
export function checkCli(settings: CliSettings, paths: readonly string[] = []): EntryFault[] {
  return [
    ...check([checkPlace, checkPattern, checkList, checkFlag, checkLimit, checkValue, checkTwin], settings),
    ...check([checkRisk, checkForm, checkFile], settings, paths),
    ...findGroupFaults(settings),
    ...check([checkProgram], settings),
    ...settings.args.flatMap((arg, index) => checkSequence(arg, index, settings)),
  ];
}

function check(rules: readonly Rule[], settings: CliSettings, paths: readonly string[] = []): EntryFault[] {
  return rules.flatMap((rule) =>
    settings.args.flatMap((arg, index): EntryFault[] => {
      const fault = (key: string, message: string): EntryFault => ({ path: ['args', index, key], message });
      const warning = (key: string, message: string): EntryFault => ({ ...fault(key, message), severity: 'warning' });
      const found = rule({ arg, index, settings, paths, fault, warning });
      return found === undefined ? [] : [found];
    }),
  );
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
function checkSequence(arg: CliArgument, index: number, settings: CliSettings): EntryFault[] {
  const { sequence, type } = arg;
  if (sequence === undefined) return [];
  if (type !== 'array') return [{ path: ['args', index, 'sequence'], message: 'is for type: array.' }];
  const other = SEQUENCE_FREE.find(([, isSaid]) => isSaid(arg))?.[0];
  if (other !== undefined) {
    const message = 'cannot be combined with sequence; set it on the flags of the sequence.';
    return [{ path: ['args', index, other], message }];
  }
  const rules = [checkPattern, checkLimit, checkValue, checkTwin, checkRisk, checkForm, checkProgram];
  const faults = check(rules, { ...settings, args: sequence, groups: undefined });
  return faults.map((fault) => ({ ...fault, path: ['args', index, 'sequence', ...fault.path.slice(1)] }));
}

/**
 * Finds arguments in places that are taken: a second standard input or working folder, and values that cannot be distinguished
 * from those after them.
 */
const checkPlace: Rule = ({ arg, index, settings: { args, groups }, fault, warning }) => {
  const { place, name, required, default: value } = arg;
  const first = args.find((other) => other.place === place);
  if ((place === 'stdin' || place === 'cwd') && first !== arg) {
    return fault(place, `only one argument can be that, and "${first?.name}" is.`);
  }
  const next = args
    .slice(index + 1)
    .find((other) => other.place === 'positional' && other.required && other.list !== undefined);
  if (place !== 'positional' || required || value !== undefined || next === undefined) return undefined;
  // `(-f FILE | TYPE [NAME]) KEY=VAL...`: another argument replaces it, and the command distinguishes the two forms.
  const alternatives = new Set(groups?.oneOf.flat());
  if (args.slice(0, index + 1).some((other) => other.place === 'positional' && alternatives.has(other.name)))
    return undefined;
  const message = `"${name}" is optional, but "${next.name}" after it is required: in a call without "${name}" the other values move up. Give it a default, or put it last.`;
  return warning('positional', message);
};

const checkPattern: Rule = ({ arg: { pattern }, fault }) => {
  if (pattern === undefined) return undefined;
  try {
    // Both dialects share this syntax; patterns that only one accepts are reported when the tool is created.
    RegExp(`^(?:${pattern})$`, 'u');
    return undefined;
  } catch (error) {
    const message = `must be a regular expression: ${messageOf(error).replace(/^Invalid regular expression: /, '')}.`;
    return isOtherDialect(pattern) ? undefined : fault('pattern', message);
  }
};

/** RE2 has escapes and flags that JavaScript lacks. */
function isOtherDialect(pattern: string): boolean {
  return /\(\?[imsU-]|\\[zAQEC]|\(\?P|\[\[:|\\p\{?[A-Z]|\\[-\s"'#%&,:;<=>@_`~!]/.test(pattern);
}

const checkFlag: Rule = ({ arg: { type, place, negated, isGlobal }, fault }) => {
  if (negated !== undefined && type !== 'boolean') return fault('negated', 'is for type: boolean only.');
  return isGlobal === true && place !== 'flag' ? fault('global', 'is for flags only.') : undefined;
};

const checkForm: Rule = ({ arg: { pathForm, type, list, place }, fault }) => {
  if (pathForm === undefined) return undefined;
  if (place === 'cwd') return fault('path', 'the working directory is a local path: write path: true, or omit it.');
  const kind = type === 'array' ? list?.items : type;
  const { form, schemes } = pathForm;
  if (kind !== 'string' && kind !== 'object') return fault('path', `"${form}" is for texts.`);
  return schemes === undefined || form === 'url' || form === 'address' || form === 'host'
    ? undefined
    : fault('path', `schemes are for url, address and host, not for ${form}.`);
};

const checkFile: Rule = ({ arg, paths, fault }) => {
  const { file, name, place, isPath } = arg;
  const isFile = isFileArgument(arg);
  if (isFile && (place === 'cwd' || place === 'stdin')) return fault(place, 'takes a text, not a file.');
  if (isFile && (isPath || paths.includes(name))) {
    return fault('type', 'the board writes this file, so it is not a path of a call. Remove path and paths.');
  }
  if (file === undefined || isFile) return undefined;
  if (file.extension !== '') return fault('extension', 'is for type: file.');
  return place === 'stdin' ? undefined : fault('encoding', 'is for type: file and stdin.');
};

const SEVERAL = 'It is for several values: use type: array, or split for one text with several values.';
const UNUSED: Readonly<Record<NonNullable<CliArgument['unusedKey']>, string>> = {
  join: SEVERAL,
  spread: SEVERAL,
  items: 'It is for type: array.',
  pair: 'It is for type: object.',
};

const checkList: Rule = ({ arg, index, settings: { args }, fault, warning }) => {
  const { type, list, enum: values, default: value, place, unusedKey } = arg;
  if (unusedKey !== undefined) return warning(unusedKey, `has no effect for type: ${type}. ${UNUSED[unusedKey]}`);
  if (place === 'tail' && index !== args.findIndex((other) => other.place === 'tail'))
    return fault('tail', 'only one argument can come after all others.');
  if (list === undefined) return Array.isArray(value) ? fault('default', 'is a list; use type: array.') : undefined;
  if (place === 'cwd' || place === 'stdin') return fault(place, 'takes one value, not several.');
  if (type === 'object' && list.pair === undefined && list.join !== undefined)
    return fault('join', 'cannot be combined with pair: separate, which makes two elements of each pair.');
  if (type === 'object' && value !== undefined) return fault('default', 'cannot be given for an object.');
  if (type === 'array' && value !== undefined && !Array.isArray(value))
    return fault('default', `must be a list, such as [${JSON.stringify(value)}].`);
  const odd = values?.find((each) => list.join !== undefined && String(each).includes(list.join));
  return odd === undefined
    ? undefined
    : fault('enum', `${JSON.stringify(odd)} contains the separator of values (join).`);
};

/** Finds limits on arguments that are not numbers, and limits that no number can meet. */
const checkLimit: Rule = ({ arg: { type, list, min, max }, fault }) => {
  if (min === undefined && max === undefined) return undefined;
  const kind = type === 'array' ? list?.items : type;
  if (kind !== 'integer' && kind !== 'number')
    return fault(min === undefined ? 'max' : 'min', 'is a limit for numbers; use type: integer or number.');
  return min !== undefined && max !== undefined && min > max ? fault('min', `is above max (${max}).`) : undefined;
};

/** Finds defaults and choices that the argument's type rejects, so that calls would fail. */
const checkValue: Rule = ({ arg: { type, list, enum: values, default: value }, warning }) => {
  const wanted = type === 'array' ? (list?.items ?? 'string') : type;
  const odd = values?.find((each) => !isOf(wanted, each));
  if (odd !== undefined)
    return warning('enum', `no call can give ${JSON.stringify(odd)}, which is ${not(wanted)}. ${remedy(wanted, odd)}`);
  for (const each of value === undefined ? [] : [value].flat()) {
    const shown = JSON.stringify(each);
    if (!isOf(wanted, each)) return warning('default', `${shown} is ${not(wanted)}, so a call without it fails.`);
    if (values !== undefined && typeof each !== 'boolean' && !values.includes(each))
      return warning('default', `${shown} is not in enum, so a call without it fails.`);
  }
  return undefined;
};

function isOf(type: CliArgument['type'], value: string | number | boolean): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === 'object' || typeof value === (type === 'file' ? 'string' : type);
}

function not(type: CliArgument['type']): string {
  return type === 'string' || type === 'file' ? 'not a text' : `not ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function remedy(type: CliArgument['type'], value: string | number): string {
  if (type !== 'string') return 'Correct it, or the type.';
  return `Write type: ${Number.isInteger(value) ? 'integer' : 'number'}, or put it in quotes.`;
}

/** Finds arguments with the same name, which would get one value, and impossible flags. */
const checkTwin: Rule = ({ arg: { name, place, flag }, index, settings: { args }, fault, warning }) => {
  if (args.findIndex((other) => other.name === name) < index)
    return fault('name', `"${name}" occurs twice, and one value is written in both places. Rename one.`);
  return place === 'positional' && flag !== undefined
    ? warning('flag', 'is not used, as a positional value has none. Remove flag or positional.')
    : undefined;
};

/** Finds risks of arguments that every call has: the tool's own risk would be too low. */
const checkRisk: Rule = ({ arg: { name, risk, default: value, negated }, fault }) => {
  if (risk === undefined) return undefined;
  const unsaid = riskOfValue(risk, value);
  if (unsaid !== undefined && unsaid !== 'read')
    return fault('risk', `"${name}" has a default, so every call has this risk. Set it as the risk of the tool.`);
  // A table may have a risk for false.
  return negated === undefined || risk === 'read' || typeof risk !== 'string'
    ? undefined
    : fault('risk', `holds where "${name}" is true; ${negated}, which means false, needs its own argument.`);
};

const checkProgram: Rule = ({ arg, index, settings }) => {
  const path = ['args', index];
  const interpreter = settings.running.sandbox === undefined ? interpreterOf(settings, arg) : undefined;
  if (interpreter !== undefined) return { path, message: inputMessage(interpreter), severity: 'warning' };
  for (const line of linesOf(settings, arg)) {
    const at = line.length - 1;
    if (findScript(line) === at) return { path, message: SHELL_MESSAGE };
    const why = isOpen(arg) ? findProgramValue(line, at) : undefined;
    // A note for the author: reported by `validate`, not with every call.
    if (why !== undefined) return { path, message: programMessage(why), severity: 'note' };
  }
  return undefined;
};

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

/** The most arguments that a message lists. */
const MAX_NAMED = 12;
const GROUP_KEYS = ['exclusive', 'together', 'one_of'];

/** Finds groups written as one flat list, and shows the right form. */
export function explainGroups(written: Readonly<Record<string, unknown>>): EntryFault[] {
  return GROUP_KEYS.flatMap((key): EntryFault[] => {
    const value = written[key];
    if (!Array.isArray(value) || value.length === 0) return [];
    const names = value.filter((name) => typeof name === 'string');
    if (names.length < value.length) return [];
    return [{ path: [key], message: `is a list of groups, each a list of its own: write [[${names.join(', ')}]].` }];
  });
}

/** Finds groups with unknown names, with arguments that a default always fills, or that required arguments decide. */
function findGroupFaults({ args, groups }: CliSettings): EntryFault[] {
  if (groups === undefined) return [];
  const known = new Map(args.map((arg) => [arg.name, arg]));
  const all = { exclusive: groups.exclusive, together: groups.together, one_of: groups.oneOf };
  return Object.entries(all).flatMap(([key, lists]) =>
    lists.flatMap((names, index) => {
      const faults = names.flatMap((name): EntryFault[] => {
        const arg = known.get(name);
        if (arg === undefined) return [{ path: [key, index], message: explainUnknown(name, [...known.keys()]) }];
        if (arg.default === undefined) return [];
        return [
          { path: [key, index], message: `"${name}" has a default, so every call gives it. Remove the default.` },
        ];
      });
      if (faults.length > 0) return faults;
      const required = names.filter((name) => known.get(name)?.required === true);
      const fault = required.length === 0 ? undefined : explainRequired(key, names, required);
      return fault === undefined ? [] : [{ ...fault, path: [key, index] }];
    }),
  );
}

function explainUnknown(name: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known, 1);
  const hint =
    nearest === undefined
      ? `Use one of: ${known.slice(0, MAX_NAMED).join(', ')}${known.length > MAX_NAMED ? ', …' : ''}.`
      : `Did you mean "${nearest}"?`;
  return `there is no argument "${name}". ${known.length === 0 ? 'The tool has none.' : hint}`;
}

/** Explains the effect of required arguments on their group. */
function explainRequired(
  key: string,
  names: readonly string[],
  required: readonly string[],
): Omit<EntryFault, 'path'> | undefined {
  const list = (all: readonly string[], word: string): string => all.map((name) => `"${name}"`).join(` ${word} `);
  const remedy = 'Remove required, or the group.';
  const are = required.length === 1 ? 'is' : 'are';
  if (key === 'exclusive' && required.length > 1) {
    return {
      message: `${list(required, 'and')} are required, and a call may give only one: every call fails. ${remedy}`,
    };
  }
  const others = names.filter((name) => !required.includes(name));
  if (key === 'exclusive') {
    const message = `${list(required, 'and')} is required, so no call can give ${list(others, 'or')}. To require one of them, remove required and add one_of.`;
    return { message, severity: 'warning' };
  }
  if (key === 'one_of') {
    return {
      message: `${list(required, 'and')} ${are} required, so every call gives one. ${remedy}`,
      severity: 'warning',
    };
  }
  if (others.length === 0) return undefined;
  const message = `${list(required, 'and')} ${are} required, so every call has to give ${list(others, 'and')}. Make them required too.`;
  return { message, severity: 'warning' };
}
