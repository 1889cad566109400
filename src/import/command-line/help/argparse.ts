import type { CommandPage, PageCommand, PageOption, PagePositional } from '../command-page.ts';
import { parseChoices } from './parse-option.ts';
import { type ArgparseUsage, readOption, readUsage, type ArgparseEntry } from './argparse-usage.ts';

/** The parts of a page that argparse writes in its own form. */
export type ArgparsePage = Pick<CommandPage, 'summary' | 'details' | 'options' | 'commands'> &
  Partial<
    Pick<CommandPage, 'positionals' | 'exclusive' | 'oneOf' | 'isFlagsFirst' | 'aliasOf' | 'hidesCommands' | 'doubts'>
  >;

/**
 * Reads a help text of Python's argparse; `undefined` for other texts. If a person wrote the usage line, everything that depends
 * on it is omitted.
 */
export function readArgparse(lines: readonly string[], command: readonly string[]): ArgparsePage | undefined {
  const help = readEntries(lines);
  if (help === undefined) return undefined;
  const { entries, description } = help;
  const listed = uniqueOptions(entries.flatMap((entry) => readOption(entry) ?? []));
  const usage = readUsage(help.usage, { command, options: listed, entries });
  const [summary = '', ...more] = description;
  const page = { summary, details: [summary, ...more].map((text) => text.replace(/(?<=\w)$/, '.')).join(' ') };
  if (usage === undefined) {
    const parent = entries.find(({ below }) => below.length > 0);
    return { ...page, options: listed, commands: parent === undefined ? [] : readCommands(parent.spec, entries) };
  }
  const { subcommand, positionals, exclusive, oneOf } = usage;
  // The text below the lists may mention flags that are not options.
  const options = listed
    .filter(({ flags }) => flags.some((flag) => usage.flags.has(flag)))
    .map((option) => toRequired(option, usage));
  if (subcommand !== undefined && positionals.length > 0) {
    return { ...page, options, commands: [], exclusive, oneOf, isFlagsFirst: true, ...behindWords(usage, entries) };
  }
  return {
    ...page,
    options,
    positionals,
    exclusive,
    oneOf,
    // A flag with a list of values would take the positionals, too. Only the rest of a line must come last.
    isFlagsFirst: positionals.some(({ tail }) => tail !== undefined),
    commands: subcommand === undefined ? [] : readCommands(subcommand, entries),
    ...(subcommand !== undefined && !subcommand.startsWith('{') ? { hidesCommands: true } : {}),
    ...aliasOf(usage, command),
  };
}

/** `ENV COMMAND ...`: a subcommand after positionals of the program, which a tool cannot express. */
function behindWords(
  { positionals, subcommand = '' }: ArgparseUsage,
  entries: readonly ArgparseEntry[],
): Pick<ArgparsePage, 'positionals' | 'doubts'> {
  const names = readCommands(subcommand, entries).map(({ name }) => name);
  const words = positionals.map(({ name }) => name).join(' ');
  const plain = { isRequired: true, isRepeated: false, description: '' };
  return {
    positionals: [
      ...positionals,
      { ...plain, name: 'command', choices: names, description: 'The subcommand' },
      { ...plain, name: 'args', isRequired: false, isRepeated: true, tail: true, choices: [] },
    ],
    doubts: [
      `its subcommands (${names.join(', ')}) come after ${words}, so they are one tool, with their arguments as args`,
    ],
  };
}

/** Keeps the first of options that share a spelling. */
function uniqueOptions(options: readonly PageOption[]): PageOption[] {
  const seen = new Set<string>();
  return options.filter(({ flags }) => {
    const isNew = !flags.some((flag) => seen.has(flag));
    for (const flag of flags) seen.add(flag);
    return isNew;
  });
}

/** Returns the listed positionals, for a usage line that does not name them. */
export function listedWords(lines: readonly string[]): PagePositional[] {
  const words = (readEntries(lines)?.entries ?? []).filter(
    ({ spec, below }) => below.length === 0 && /^(?:[A-Za-z][\w-]*|\{[\w,-]+\})$/.test(spec),
  );
  return words.map(({ spec, description }) => {
    const choices = parseChoices(spec);
    const name = choices.length > 0 ? 'value' : spec;
    return { name, isRequired: false, isRepeated: false, choices, description };
  });
}

function toRequired(option: PageOption, { required }: ArgparseUsage): PageOption {
  return required.has(option.flags[0] ?? '') ? { ...option, isRequired: true } : option;
}

/** Reads the subcommands: the names in braces, with the descriptions below. One without a help text is only in the braces. */
function readCommands(subcommand: string, entries: readonly ArgparseEntry[]): PageCommand[] {
  const listed = (entries.find(({ spec }) => spec === subcommand)?.below ?? []).map(toCommand);
  const known = new Set(listed.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const all = /^\{(.*)\}$/s.exec(subcommand)?.[1]?.split(',') ?? [];
  const others = all.filter((name) => !known.has(name)).map((name) => ({ name, description: '' }));
  return [...listed, ...others].toSorted((a, b) => all.indexOf(a.name) - all.indexOf(b.name));
}

/** `list (ls, l)` */
function toCommand({ spec, description }: ArgparseEntry): PageCommand {
  const [, name = spec, others] = /^(\S+) \(([^()]+)\)$/.exec(spec) ?? [];
  // Older versions of Python list hidden subcommands like this.
  const text = description === '==SUPPRESS==' ? '' : description;
  return { name, description: text, ...(others === undefined ? {} : { aliases: others.split(/,\s*/) }) };
}

/** argparse prints a subcommand's own name in its usage, even when called by an alias. */
function aliasOf({ program }: ArgparseUsage, command: readonly string[]): Pick<CommandPage, 'aliasOf'> {
  const own = program.at(-1) ?? '';
  if (command.length < 2 || program.length < 2 || own === command.at(-1)) return {};
  return { aliasOf: [...command.slice(0, -1), own] };
}

interface ArgparseHelp {
  /** The whole usage on one line, without `usage:`. */
  readonly usage: string;
  /** The text between the usage and the lists. */
  readonly description: readonly string[];
  readonly entries: readonly ArgparseEntry[];
}

const HELP_LINE = /^ {2}-h, --help\s+show this help/;
const FIRST_HEADING = /^(?:positional arguments|options|optional arguments):$/;
const HEADING = /^\S.*:$/;

/** Splits a help text of Python's argparse into its parts; `undefined` for other texts. */
function readEntries(lines: readonly string[]): ArgparseHelp | undefined {
  const start = lines.findIndex((line) => line.startsWith('usage: '));
  const isIt = lines.some((line) => HELP_LINE.test(line) || line === 'positional arguments:');
  if (start === -1 || !isIt) return undefined;
  const end = indexFrom(lines, start, (line) => line === '');
  // A description may have its own headings; argparse's first list has one of these two.
  const known = indexFrom(lines, end, (line) => FIRST_HEADING.test(line));
  const titled = indexFrom(lines, end, (line, at) => HEADING.test(line) && /^ {2}/.test(lines[at + 1] ?? ''));
  const lists = known < lines.length ? known : titled;
  return {
    usage: lines.slice(start, end).join(' ').replace('usage: ', '').replaceAll(/\s+/g, ' ').trim(),
    description: toParagraphs(lines.slice(end, lists)),
    entries: splitAtHeadings(lines.slice(lists)).flatMap(readSection),
  };
}

function indexFrom(lines: readonly string[], from: number, test: (line: string, at: number) => boolean): number {
  const found = lines.findIndex((line, at) => at > from && test(line, at));
  return found === -1 ? lines.length : found;
}

function toParagraphs(lines: readonly string[]): string[] {
  return lines
    .join('\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '');
}

/** Returns the lines below each heading. An unindented line that is not a heading ends a list: it belongs to the epilog. */
function splitAtHeadings(lines: readonly string[]): string[][] {
  const sections: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    if (HEADING.test(line)) {
      sections.push([]);
      isOpen = true;
    } else if (/^\S/.test(line)) isOpen = false;
    else if (isOpen) sections.at(-1)?.push(line);
  }
  return sections;
}

interface OpenEntry {
  readonly spec: string;
  readonly text: string[];
  readonly below: OpenEntry[];
}

/** Entries are indented by two spaces, subcommands by four, and descriptions further. */
function readSection(body: readonly string[]): ArgparseEntry[] {
  const entries: OpenEntry[] = [];
  let open: OpenEntry | undefined;
  for (const line of body) {
    const indent = line.length - line.trimStart().length;
    const [, spec = '', text] = /^(.*?\S)(?: {2,}(\S.*))?$/.exec(line.trim()) ?? [];
    const next = { spec, text: text === undefined ? [] : [text], below: [] };
    if (spec === '') continue;
    if (indent === 2) {
      entries.push(next);
      open = next;
    } else if (indent === 4 && entries.length > 0) {
      entries.at(-1)?.below.push(next);
      open = next;
    } else open?.text.push(line.trim());
  }
  return entries.map(toEntry);
}

function toEntry({ spec, text, below }: OpenEntry): ArgparseEntry {
  return { spec, description: text.join(' ').replaceAll(/\s+/g, ' '), below: below.map(toEntry) };
}
