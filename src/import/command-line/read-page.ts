import { knownOf } from '../packs/knowledge.ts';
import type { Ask } from './ask-command.ts';
import {
  type CommandPage,
  emptyPage,
  optionValue,
  type PageCommand,
  type PageOption,
  type PageReader,
} from './command-page.ts';
import { helpReader } from './help/help-reader.ts';
import { findManPage } from './man/find-man-page.ts';
import { parseMan } from './man/parse-man.ts';
import { mergePages } from './merge-pages.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders with files about commands. */
export interface PageFolders {
  /** Manual pages. Default: none. */
  readonly manual?: readonly string[] | undefined;
  /** Fish completions. Default: none. */
  readonly fish?: readonly string[] | undefined;
}

/** Asks all sources about a command, and merges their pages. */
export async function readPage(
  command: readonly string[],
  ask: Ask,
  { manual = [], fish = [] }: PageFolders = {},
): Promise<CommandPage> {
  // Most trusted first.
  const readers: readonly PageReader[] =
    knownOf(command[0] ?? '', 'help') === 'manual'
      ? [roffHelpReader]
      : [helpReader, createManReader(manual), cobraReader, createFishReader(fish)];
  let page = emptyPage(command);
  for (const reader of readers) {
    if (!reader.wants(page)) continue;
    const found = await reader.read(command, ask);
    if (found !== undefined) page = page.sources.length === 0 ? found : mergePages(page, found);
  }
  return page;
}

/** Reads a command's manual page from these folders, without `man` or a formatter. */
function createManReader(folders: readonly string[]): PageReader {
  return {
    source: 'man',
    wants: () => folders.length > 0,
    async read(command) {
      const source = await findManPage(command, folders);
      return source === undefined ? undefined : parseMan(source, command);
    },
  };
}

/** Reads help that is the source of a manual page. */
const roffHelpReader: PageReader = {
  source: 'help',
  wants: () => true,
  async read(command, ask) {
    const { stdout } = await ask([...command, 'help']);
    return /^\.SH /m.test(stdout) ? { ...parseMan(stdout, command), sources: ['help'] } : undefined;
  },
};

/** Returns the folders in which programs and users keep fish completions. */
export function fishFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = env['HOME'];
  return [
    ...(home === undefined ? [] : [join(home, '.config/fish/completions')]),
    '/etc/fish/completions',
    '/usr/local/share/fish/vendor_completions.d',
    '/usr/share/fish/vendor_completions.d',
    '/usr/share/fish/completions',
  ];
}

/** Reads the fish completions of a command with little help. */
function createFishReader(folders: readonly string[]): PageReader {
  return {
    source: 'completion',
    wants: ({ options, commands }) => folders.length > 0 && options.length + commands.length === 0,
    async read(command) {
      const [program = ''] = command;
      const name = `${program.split('/').at(-1)}.fish`;
      for (const folder of folders) {
        const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
        if (text !== undefined) return parseFish(text, command);
      }
      return undefined;
    },
  };
}

/** Reads the `complete` lines of a fish file for a command; `undefined` if there are none for it. */
export function parseFish(text: string, command: readonly string[]): CommandPage | undefined {
  const commands: PageCommand[] = [];
  const options: PageOption[] = [];
  for (const line of text.split('\n')) {
    const entry = parseComplete(line);
    if (entry === undefined || !isFor(entry, command)) continue;
    const option = toOption(entry);
    if (option !== undefined) options.push(option);
    else if (command.length === 1 && entry.conditions.some((text) => /needs_command|use_subcommand/.test(text))) {
      const names = entry.values.filter((value) => /^[a-z][\w-]*$/.test(value));
      commands.push(...names.map((name) => ({ name, description: entry.description })));
    }
  }
  if (commands.length + options.length === 0) return undefined;
  return { ...emptyPage(command), commands, options, sources: ['completion'] };
}

interface Completion {
  readonly program: string;
  /** Conditions under which it is offered; all must hold. */
  readonly conditions: readonly string[];
  readonly long: string | undefined;
  /** `-name` with one dash. */
  readonly old: string | undefined;
  readonly short: string | undefined;
  readonly description: string;
  readonly values: readonly string[];
  readonly takesValue: boolean;
}

const VALUED = new Set(
  'c command n condition l long-option s short-option o old-option d description a arguments w wraps p path'.split(' '),
);

/** `complete -c tool -n '…' -l color -s c -x -a 'auto never' -d 'Colours'` */
function parseComplete(line: string): Completion | undefined {
  const words = [...line.trim().matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, bare]) => (single ?? double ?? bare ?? '').replaceAll(/\\(.)/g, '$1'),
  );
  if (words[0] !== 'complete') return undefined;
  const given = new Map<string, string>();
  const conditions: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const name = /^--?([\w-]+)$/.exec(words[at] ?? '')?.[1];
    if (name === undefined) continue;
    // Letters without a value may be combined: -xa 'auto never'.
    const last = words[at]?.startsWith('--') === true ? name : (name.at(-1) ?? '');
    if (last !== name) for (const letter of name.slice(0, -1)) given.set(letter, '');
    const value = VALUED.has(last) ? (words[++at] ?? '') : '';
    if (last === 'n' || last === 'condition') conditions.push(value);
    else given.set(last, value);
  }
  const find = (...names: string[]): string | undefined =>
    names.map((name) => given.get(name)).find((value) => value !== undefined);
  return {
    program: find('c', 'command') ?? '',
    conditions,
    long: find('l', 'long-option'),
    old: find('o', 'old-option'),
    short: find('s', 'short-option'),
    description: find('d', 'description') ?? '',
    // `(openssl list -1)` is a fish command; its words are not values.
    values: (find('a', 'arguments') ?? '')
      .replaceAll(/\$?\([^()]*(?:\([^()]*\)[^()]*)*\)?/g, ' ')
      .split(/\s+/)
      .map((value) => value.split('\t', 1)[0] ?? '')
      .filter(Boolean),
    takesValue: find('r', 'require-parameter', 'x', 'exclusive') !== undefined,
  };
}

const SEEN = /(\bnot\s+)?\S*(?:seen_subcommand_from|using_command|using_subcommand)\s+([\w\s-]+)/g;

/**
 * True when an entry is about this command: for the program, one without conditions; for a subcommand, one that requires exactly
 * its words. `git remote add` is neither `git add` nor `git notes add`.
 */
function isFor({ program, conditions }: Completion, [first = '', ...words]: readonly string[]): boolean {
  if (program !== first.split('/').at(-1)) return false;
  const seen = conditions.flatMap((text) =>
    [...text.matchAll(SEEN)]
      .filter(([, not]) => not === undefined)
      .map((match) => (match[2] ?? '').trim().split(/\s+/)),
  );
  return (
    words.every((word) => seen.some((names) => names.includes(word))) &&
    seen.every((names) => names.some((name) => words.includes(name)))
  );
}

function toOption({ long, old, short, description, values, takesValue }: Completion): PageOption | undefined {
  const flags = [
    ...(long === undefined ? [] : [`--${long}`]),
    ...(old === undefined ? [] : [`-${old}`]),
    ...(short === undefined ? [] : [`-${short}`]),
  ];
  if (flags.length === 0 || flags.some((flag) => !/^-{1,2}[\w-]+$/.test(flag))) return undefined;
  // Completions are suggestions; only a list of plain words counts as complete.
  const isList = values.length > 1 && values.every((value) => /^[\w.+-]+$/.test(value));
  return {
    flags,
    value:
      takesValue || values.length > 0
        ? optionValue(long ?? old ?? 'value', { choices: isList && takesValue ? values : [] })
        : undefined,
    isRepeatable: false,
    isRequired: false,
    description,
    isCompound: false,
  };
}

/** Asks programs built with Cobra for their subcommands if their help does not list them. */
const cobraReader: PageReader = {
  source: 'completion',
  // Only Cobra programs have the hidden command; others would take it for a positional.
  wants: ({ parser, commands, options, positionals }) =>
    parser === 'cobra' &&
    commands.length === 0 &&
    positionals.every(({ name }) => /^(?:sub)?command$/i.test(name)) &&
    options.every(({ flags }) => isHelp(flags)),
  async read(command, ask) {
    const [program = '', ...words] = command;
    const { stdout, code } = await ask([program, '__complete', ...words, '']);
    const commands = code === 0 ? parseCompletions(stdout) : [];
    return commands.length === 0 ? undefined : { ...emptyPage(command), commands, sources: ['completion'] };
  },
};

function isHelp(flags: readonly string[]): boolean {
  return flags.includes('--help') || flags.includes('--version');
}

/** `name<TAB>description` on each line, and a last one such as `:4`. Names without a description may be files or values. */
export function parseCompletions(text: string): { readonly name: string; readonly description: string }[] {
  const lines = text.trimEnd().split('\n');
  if (!/^:\d+$/.test(lines.at(-1) ?? '')) return [];
  return lines.slice(0, -1).flatMap((line) => {
    const [name = '', description = ''] = line.split('\t', 2);
    const isCommand = /^[a-z][\w-]*$/.test(name) && description !== '' && name !== 'help';
    return isCommand ? [{ name, description }] : [];
  });
}
