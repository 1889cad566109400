import type { HelpOption, HelpPage, HelpPositional } from './help-page.ts';
import { toLegalName } from '../../tool/texts/legal-name.ts';
import { findChoices } from './parse-choices.ts';

/** A `type: cli` tool as a config file holds it: plain data, ready to be written as YAML. */
export interface CliToolData {
  readonly name: string;
  readonly type: 'cli';
  readonly description: string;
  readonly command: string | readonly string[];
  readonly risk?: 'destructive';
  readonly args?: readonly CliArgumentData[];
}

/** An argument of such a tool. */
interface CliArgumentData {
  readonly name: string;
  readonly description?: string;
  readonly type?: 'integer' | 'number' | 'boolean';
  readonly required?: true;
  readonly enum?: readonly string[];
  readonly flag?: string;
  readonly style?: 'separate';
  readonly positional?: true;
}

const MAX_DESCRIPTION = 300;
const DESTRUCTIVE =
  /^(?:rm|rmi|remove|delete|del|destroy|prune|purge|drop|clean|reset|kill|uninstall|wipe|erase|format)$/;
/** Options that end the command without doing anything, or open an editor or a pager. */
const USELESS = /^(?:--help|--version|--interactive|--edit)$/;
/** Letters that mean help and version only where the text says so. */
const HELP_LETTERS: readonly (readonly [string, RegExp])[] = [
  ['-h', /\bhelp\b/i],
  ['-V', /\bversion\b/i],
];

/** A tool, and what the command can do that the tool cannot say. */
export interface MadeCliTool {
  readonly tool: CliToolData;
  /** Options that take several values and were left out. */
  readonly compound: readonly string[];
  /** Words of which the command takes several and the tool one. */
  readonly repeated: readonly string[];
}

/** Makes a tool of a help page. */
export function toCliTool(command: readonly string[], page: HelpPage, about?: string): MadeCliTool {
  const words = command.map((word) => word.split('/').at(-1) ?? word);
  const name = toLegalName(words.join('_').replaceAll(/[^A-Za-z0-9_-]+/g, '_'));
  const taken = new Set<string>();
  const wanted = page.options.filter((option) => !isUseless(option));
  const usable = wanted.filter(({ isCompound }) => !isCompound);
  const args = [
    ...page.positionals.map((positional) => toPositional(positional, taken)),
    ...usable.map((option) => toArgument(option, taken)),
  ];
  return {
    tool: {
      name,
      type: 'cli',
      description: shorten((about ?? '') || page.description || `Run ${words.join(' ')}`),
      command: command.some((word) => /[^\w./:@=+-]/.test(word)) ? command : command.join(' '),
      ...(DESTRUCTIVE.test(words.at(-1) ?? '') ? { risk: 'destructive' } : {}),
      ...(args.length === 0 ? {} : { args }),
    },
    compound: wanted.flatMap(({ isCompound, flags: [flag = ''] }) => (isCompound ? [`${name} ${flag}`] : [])),
    repeated: page.positionals.flatMap((word) => (word.isRepeated ? [`${name} ${word.name.toLowerCase()}`] : [])),
  };
}

function isUseless({ flags, description }: HelpOption): boolean {
  return (
    flags.some((flag) => USELESS.test(flag)) ||
    HELP_LETTERS.some(([flag, text]) => flags.includes(flag) && text.test(description))
  );
}

function toPositional(positional: HelpPositional, taken: Set<string>): CliArgumentData {
  const { name, description, isRequired, choices } = positional;
  const type = choices.length > 0 ? undefined : guessType(name, description);
  return {
    name: freeArgument(name, taken),
    ...described(description),
    ...(type === undefined ? {} : { type }),
    ...(isRequired ? { required: true } : {}),
    ...(choices.length === 0 ? {} : { enum: choices }),
    positional: true,
  };
}

function toArgument({ flags, value, description }: HelpOption, taken: Set<string>): CliArgumentData {
  const [flag = ''] = flags;
  const name = freeArgument(flag, taken);
  const own = `--${name.replaceAll('_', '-')}` === flag ? {} : { flag };
  if (value === undefined) return { name, ...described(description), type: 'boolean', ...own };
  const choices = value.choices.length > 0 ? value.choices : findChoices(description);
  const type = choices.length > 0 ? undefined : guessType(value.name, description);
  return {
    name,
    ...described(description),
    ...(type === undefined ? {} : { type }),
    ...(choices.length === 0 ? {} : { enum: choices }),
    ...own,
    // Two words, as the help writes it: not every command takes --flag=value.
    ...(flag.startsWith('--') && !value.isJoined ? { style: 'separate' } : {}),
  };
}

/** `--max-count` → `max_count`, with a number when that is taken. */
function freeArgument(text: string, taken: Set<string>): string {
  const cleaned = text
    .replace(/^-+/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const base = !text.startsWith('-') && /^[A-Z0-9_]{2,}$/.test(cleaned) ? cleaned.toLowerCase() : cleaned || 'value';
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  taken.add(name);
  return name;
}

function described(description: string): { description?: string } {
  return description === '' ? {} : { description: shorten(description) };
}

function shorten(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}

const INTEGER =
  /^(?:n|m|num|number|numbers?|int|integer|uint|u?int(?:8|16|32|64)|count|lines?|depth|levels?|port|pid|uid|gid|fd|jobs?|width|height|columns?|cols|limit|max|min|retries|days|year)$/i;
const NUMBER = /^(?:float|float32|float64|double|decimal|ratio|fraction|percent|percentage)$/i;

/** The type a value's name suggests; `undefined` for text, which is always right. */
function guessType(name: string, description: string): 'integer' | 'number' | undefined {
  if (NUMBER.test(name)) return 'number';
  // `+N`, `10K`, `1-5`: looks like a number and is not one.
  if (/\b(?:suffix|units?|range|[+-]N|\dK|percent|list of)\b/i.test(description)) return undefined;
  return INTEGER.test(name) ? 'integer' : undefined;
}
