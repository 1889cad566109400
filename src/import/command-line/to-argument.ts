import type { ArgumentRisk } from '../../tool/parameters/argument-risk.ts';
import { matches, matching } from '../packs/knowledge.ts';
import type { OptionValue, PageOption, PagePositional } from './command-page.ts';
import { type ArgumentPath, isAnyName, mayBePath, mayBePathWord, pathOf, type ScriptText } from './guess/guess-path.ts';

/** An argument of such a tool. */
export interface CliArgumentData {
  readonly name: string;
  readonly description?: string;
  readonly type?: 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly items?: 'integer' | 'number';
  readonly required?: true;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly flag?: string;
  readonly negated?: string;
  readonly global?: true;
  readonly style?: 'separate';
  readonly pair?: 'separate';
  readonly spread?: true;
  readonly positional?: true;
  readonly tail?: true | '--';
  /** A path, or the form of a value that can also be something else. */
  readonly path?: ArgumentPath;
  readonly stdin?: true;
  /** Flags whose order matters: each element of the list is one of them. */
  readonly sequence?: readonly CliArgumentData[];
  /** Guessed, like the tool's risk. */
  readonly risk?: ArgumentRisk;
}

interface ArgumentContext {
  readonly taken: Set<string>;
  readonly command: readonly string[];
  /** Set if the page comes from a library for users' own commands: values without a description are no paths then. */
  readonly script: ScriptText | undefined;
}

export function toPositional(
  positional: PagePositional,
  { taken, options, command, script }: ArgumentContext & { readonly options: readonly PageOption[] },
): CliArgumentData {
  const { description, isRequired, isRepeated, tail, choices, pattern } = positional;
  const isScript = script !== undefined;
  // `tar --file=ARCHIVE FILE...`: the flag keeps the well-known name, and the positionals get the plural.
  const isOther = options.some(
    ({ flags, name, value }) =>
      name === undefined &&
      value !== undefined &&
      nameOf(flags[0] ?? '') === nameOf(positional.name) &&
      !isAnyName(value.name) &&
      nameOf(value.name).toLowerCase() !== nameOf(positional.name),
  );
  const name = isOther && isRepeated ? `${nameOf(positional.name)}s` : positional.name;
  const type =
    choices.length > 0
      ? undefined
      : (positional.type ?? guessType({ names: [name], description, isSeveral: isRepeated, isScript }));
  return {
    name: freeArgument(shortName(nameOf(name)), taken),
    ...described(description),
    ...typed(type, isRepeated),
    ...(isRequired ? { required: true } : {}),
    ...(choices.length === 0 ? {} : listed(choices, isScript && !isRepeated)),
    ...(pattern === undefined ? {} : { pattern }),
    ...(tail === undefined ? { positional: true } : { tail }),
    ...(isText(type) && pattern === undefined && choices.length === 0
      ? pathOf({ command, names: [positional.name], description, isOption: false }, mayBePathWord(positional, script))
      : {}),
  };
}

export function toInput(taken: Set<string>): CliArgumentData {
  const name = taken.has('stdin') ? 'standard_input' : 'stdin';
  return { name, description: 'The standard input of the command', stdin: true };
}

export function toArgument(
  option: PageOption,
  { taken, joinsValues, command, script }: ArgumentContext & { readonly joinsValues: boolean },
): CliArgumentData {
  const { flags, negated, value, description, isRepeatable, isRequired, global } = option;
  const isScript = script !== undefined;
  const [flag = ''] = flags;
  const name = freeArgument(option.name ?? flag, taken, isLong(flag) ? 'option' : undefined);
  const isDefault = `--${name.replaceAll('_', '-')}` === flag;
  const before = global === 'before' ? { global: true as const } : {};
  if (value === undefined) {
    return {
      name,
      ...described(description, option),
      type: 'boolean',
      ...(isDefault ? {} : { flag }),
      ...(negated === undefined ? {} : { negated }),
      ...before,
    };
  }
  const { choices, isPair, isJoined } = value;
  const type =
    choices.length > 0
      ? undefined
      : (value.type ??
        guessType({ names: [value.name, nameOf(flag)], description, isSeveral: option.isSpread === true, isScript }));
  // `-out=path`: one dash, and the value in the same word.
  const isGlued = isJoined && /^-\w{2,}/.test(flag);
  return {
    name,
    ...described(description, option),
    ...(isPair ? { type: 'object' as const } : typed(type, isRepeatable)),
    ...(value.isPairSeparate === true ? { pair: 'separate' as const } : {}),
    ...(option.isSpread === true ? { spread: true as const } : {}),
    ...(isRequired ? { required: true } : {}),
    ...chosen(value, isScript && !isRepeatable),
    ...(isGlued ? { flag: `${flag}=` } : isDefault ? {} : { flag }),
    ...before,
    // Two words, as on the page: not every command accepts --flag=value.
    ...(flag.startsWith('--') && !isJoined && !joinsValues ? { style: 'separate' } : {}),
    ...((isPair || isText(type)) && value.pattern === undefined && choices.length === 0
      ? pathOf({ command, names: [...flags, value.name], description, isOption: true }, mayBePath(option, script))
      : {}),
  };
}

function isText(type: 'string' | 'integer' | 'number' | undefined): boolean {
  return type === undefined || type === 'string';
}

/** Returns the type and values of a list. Those of `choices=range(1, 5)` are numbers, as a model sends them. */
function listed(choices: readonly string[], mayBeNumbers: boolean): Pick<CliArgumentData, 'type' | 'enum'> {
  const areNumbers = mayBeNumbers && choices.every((choice) => /^(?:0|-?[1-9]\d{0,8})$/.test(choice));
  return areNumbers ? { type: 'integer', enum: choices.map(Number) } : { enum: choices };
}

/** Output formats with a template, such as `jsonpath={.items}`. */
const TEMPLATE = /^(?:json-?path|go-template|custom-columns)(?:-|$)/;

/** Returns the values of a choice: a list, or a pattern if more may follow. */
function chosen(
  { choices, isChoiceStart, pattern }: OptionValue,
  mayBeNumbers: boolean,
): Pick<CliArgumentData, 'type' | 'enum' | 'pattern'> {
  if (choices.length === 0) return pattern === undefined ? {} : { pattern };
  if (isChoiceStart !== true && !choices.some((choice) => TEMPLATE.test(choice))) return listed(choices, mayBeNumbers);
  const words = choices.map((choice) => choice.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return { pattern: `(?:${words.join('|')})(?:=.*)?` };
}

function typed(
  type: 'string' | 'integer' | 'number' | undefined,
  isRepeated: boolean,
): { type?: 'integer' | 'number' | 'array'; items?: 'integer' | 'number' } {
  const own = type === 'string' ? undefined : type;
  if (isRepeated) return { type: 'array', ...(own === undefined ? {} : { items: own }) };
  return own === undefined ? {} : { type: own };
}

/** `--max-count` → `max_count`; `max_count_option` if a positional has that name. */
function freeArgument(text: string, taken: Set<string>, suffix?: 'option'): string {
  const base = nameOf(text);
  let name = base;
  if (suffix !== undefined && taken.has(name)) name = `${base}_${suffix}`;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  taken.add(name);
  return name;
}

function nameOf(text: string): string {
  const cleaned = text
    .replace(/^-+/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  // A number is not a name: -1 of ls.
  if (/^\d+$/.test(cleaned)) return `flag_${cleaned}`;
  return !text.startsWith('-') && /^[A-Z0-9_]{2,}$/.test(cleaned) ? cleaned.toLowerCase() : cleaned || 'value';
}

function isLong(flag: string): boolean {
  return /^--|^-\w{2,}/.test(flag);
}

/** `container_name_1_container_image_1` → `container_name_image`: drops repeated words and numbers. */
function shortName(name: string): string {
  const words = name.split('_');
  if (words.length < 4) return name;
  return [...new Set(words)].filter((word, index) => index === 0 || !/^\d+$/.test(word)).join('_');
}

interface TypedValue {
  /** The page's name for the value, and its flag without dashes. */
  readonly names: readonly string[];
  readonly description: string;
  /** Several values share the name, such as `COLUMNS`. */
  readonly isSeveral: boolean;
  /** The page comes from a library that prints the argument's name as the value's name. */
  readonly isScript: boolean;
}

/** Guesses the type from a value's name, default or text; `undefined` for text, which always works. */
function guessType({ names, description, isSeveral, isScript }: TypedValue): 'integer' | 'number' | undefined {
  const [name = ''] = names;
  if (matches('number_name', name)) return 'number';
  // `+N`, `10K`, `1-5`: similar to numbers.
  if (/\b(?:suffix|units?|range|[+-]N|\dK|percent|list of)\b/i.test(description)) return undefined;
  // `--ratio=NUMBER`
  if (/^number$/i.test(name) && names.slice(1).some(matching('fraction_name'))) return 'number';
  if (
    matches('integer_name', name) &&
    !((isScript || (isSeveral && /s$/i.test(name))) && matches('unsure_integer_name', name))
  )
    return 'integer';
  return isScript && !isSeveral ? guessFromText(names, description) : undefined;
}

/** `(default: 2.5)`, `how many`, `seconds to wait`. */
function guessFromText(names: readonly string[], description: string): 'integer' | 'number' | undefined {
  if (names.some(matching('text_name'))) return undefined;
  const [, whole, fraction] = /[[(]default:? (-?\d+)(\.\d+)?[\]);,]/i.exec(description) ?? [];
  const mayHaveFraction = names.some(matching('fraction_name')) || /\bseconds\b/i.test(description);
  if (whole !== undefined) return fraction !== undefined || mayHaveFraction ? 'number' : 'integer';
  // `how many, or "all"`
  if (/\bor\b|["'`]/.test(description)) return undefined;
  if (/^seconds\b|\bin seconds\b/i.test(description)) return 'number';
  return /^(?:how many|number of)\b/i.test(description) ? 'integer' : undefined;
}

/** The most characters of a description. */
export const MAX_DESCRIPTION = 300;

/** Remarks of yargs and Click after the text of an argument, which repeat its type. */
const REMARKS = /\s*\[(?:required|string|boolean|number|array|count)\](?=\s*(?:\[|$))/g;

/** Describes an argument, preceded by its short flags. */
function described(description: string, { flags, name }: Partial<PageOption> = {}): { description?: string } {
  // The first flag names the argument, unless it has its own name.
  const letters = (flags ?? []).slice(name === undefined ? 1 : 0).filter((flag) => /^-[^-]$/.test(flag));
  const said = description.replaceAll(REMARKS, '');
  const text = `${letters.length === 0 ? '' : `(${letters.join(', ')}) `}${said}`.trim();
  return text === '' ? {} : { description: shorten(text) };
}

/** Cuts a description that is too long. */
export function shorten(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}
