import { matches } from '../../packs/knowledge.ts';
import {
  type CommandPage,
  emptyPage,
  type PageCommand,
  type PageOption,
  type PagePositional,
} from '../command-page.ts';
import { findVariables } from '../guess/guess-variables.ts';
import { type ArgparsePage, listedWords, readArgparse } from './argparse.ts';
import { acceptsJoinedValues, detectParser, toGroup } from './help-clues.ts';
import { expandDefinitions, readForms, splitForms, withoutDefinitions } from './usage-forms.ts';
import { findChoices } from './parse-option.ts';
import { type HelpSection, readExamples, readSummaries, splitSections, toPlainLines } from './help-lines.ts';
import { readOptions } from './read-options.ts';
import { parseUsage } from './parse-usage.ts';
import { parseUsages, withSynopsisValue } from './parse-usages.ts';

/** Parses the `--help` output of the command with these words. Skips everything it cannot parse. */
export function parseHelp(text: string, command: readonly string[]): CommandPage {
  const lines = toPlainLines(text);
  const sections = splitSections(withoutDefinitions(lines));
  const parser = detectParser(lines.join('\n'));
  const argparse = readArgparse(lines, command);
  const commands =
    argparse?.commands ??
    withShown(
      uniqueCommands(
        sections.flatMap((section) => (isCommandTitle(section.title) ? readCommands(section, command) : [])),
      ),
      lines,
      command,
    );
  const described = readArguments(sections);
  const summaries = readSummaries(lines, command, isCommandTitle);
  const forms = expandDefinitions(readForms(lines, command));
  const listed =
    argparse?.options ?? markSwitches(uniqueOptions(sections.flatMap((section) => readSection(section, command))));
  const names = commands.map(({ name }) => name);
  // npm lists all options in the notation of a usage line, and repeats those it explains.
  const block = parseUsage(readBlock(sections), { options: listed });
  const isBehind = commands.length > 0 && OPTIONS_BEHIND.test(forms[0] ?? '');
  const options = [
    ...listed
      .map((option) => (isBehind ? { global: 'anywhere' as const, ...option } : option))
      .map((option) => withUsage(withBlock(option, block.options), block.options)),
    ...uniqueOptions(block.options)
      .filter((option) => !isKnown(option, listed))
      .map(toPositive),
  ];
  const variables = findVariables(
    text,
    sections.filter(({ title }) => /^environment\b/i.test(title)).flatMap(({ body }) => body),
    command[0] ?? '',
  );
  const toPage = (usages: readonly string[], words: readonly string[]): CommandPage => {
    const usage = parseUsages(usages, { commands: names, options });
    const further = uniqueOptions(usage.options).filter((option) => !isKnown(option, options));
    const known = options.map((option) => withUsage(option, usage.options));
    // A form that names its options has no others.
    const isForm = words.length > command.length && usage.options.length > 0;
    const own = isForm ? known.filter((option) => isKnown(option, usage.options)) : known;
    return {
      ...emptyPage(words),
      summary: summaries[0] ?? '',
      details: summaries.map((text) => text.replace(/(?<=\w)$/, '.')).join(' '),
      options: [...own, ...further],
      positionals: usage.positionals.map((word) => describe(word, described.get(word.name.toLowerCase()))),
      commands,
      examples: readExamples(sections, command),
      aliases: [...readAliases(sections, command), ...readAliasLine(lines, command)],
      isFlagsFirst: usage.isFlagsFirst,
      ...(parser === undefined ? {} : { parser }),
      joinsValues: acceptsJoinedValues(lines.join('\n')),
      exclusive: [...usage.exclusive, ...block.exclusive],
      borrows: readBorrowed(text, command),
      oneOf: usage.oneOf,
      hasSeparator: usage.hasSeparator,
      isSpecial: usage.isSpecial,
      hasCommandHelp: COMMAND_HELP.test(text),
      readsInput: mentionsInput(text),
      variables,
      sources: ['help'],
    };
  };
  if (argparse !== undefined) return withArgparse(toPage(forms, command), argparse, lines);
  const split = commands.length > 0 ? [] : splitForms(forms);
  return {
    ...toPage(split.length > 0 ? [] : forms, command),
    forms: split.map(({ words, usages }) => {
      const form = toPage(usages, [...command, ...words]);
      return words.length === 0 ? form : { ...form, summary: `${words.join(' ')}: ${form.summary}` };
    }),
  };
}

/** `Use "x COMMAND --help"`, `x help COMMAND`: subcommands have their own help. */
const COMMAND_HELP = /\bcommand\b[>\]}'"]* +(?:--help|-h)\b|\bhelp +[<[{]?(?:sub-?)?command\b/i;

/** `COMMAND [options]`: options of the program that come after its subcommand. */
const OPTIONS_BEHIND = /^[<[{]?(?:sub-?)?command[>\]}]?\s.*\[(?:options|opts|flags)\]/i;

/** True when a text says that a command reads standard input. */
export function mentionsInput(text: string): boolean {
  return /\b(?:standard input|std-?in)\b/i.test(text);
}

/** `Commands:`, `Available Commands:`, `These are common Git commands used in various situations:` */
function isCommandTitle(title: string): boolean {
  return /\b(?:sub)?commands\b[^.]*:?$/i.test(title) && !/\b(?:options|flags)\b|\(see the /i.test(title);
}

/** Applies what argparse's own form states for certain. */
function withArgparse(page: CommandPage, argparse: ArgparsePage, lines: readonly string[]): CommandPage {
  if (argparse.positionals !== undefined) return { ...page, ...argparse, isSpecial: false, hasSeparator: false };
  const { summary, details } = argparse;
  const words = page.positionals.length > 0 ? [] : listedWords(lines);
  if (words.length === 0) return { ...page, summary, details };
  const names = words.map(({ name }) => name).join(', ');
  const doubt = `its usage does not say whether ${names} must be given, nor how often`;
  return { ...page, summary, details, positionals: words, doubts: [doubt] };
}

function describe(word: PagePositional, description: string | undefined): PagePositional {
  if (description === undefined) return word;
  const choices = word.choices.length > 0 ? word.choices : findChoices(description);
  return { ...word, description: description.replaceAll(/\s+/g, ' '), choices };
}

/** Titles of options that apply to every subcommand. */
function globalOf(title: string, command: readonly string[]): PageOption['global'] {
  if (/\b(?:global|inherited|common|parent)\b.*\b(?:options|flags)\b/i.test(title)) {
    return command.length === 1 ? 'before' : 'anywhere';
  }
  return undefined;
}

function readSection({ title, body }: HelpSection, command: readonly string[]): PageOption[] {
  if (isCommandTitle(title) || matches('title_without_options', title)) return [];
  const global = globalOf(title, command);
  // ffmpeg: options of the file that follows, an input or an output.
  const places = /\bper-file\b/i.test(title) ? { places: ['input', 'output'] } : {};
  return readOptions(body).map((option) => ({ ...option, ...(global === undefined ? {} : { global }), ...places }));
}

/** If a list shows the value of one option, it shows those of all. */
function markSwitches(options: readonly PageOption[]): readonly PageOption[] {
  if (options.every(({ value }) => value === undefined)) return options;
  return options.map((option) => (option.value === undefined ? { ...option, mayTakeValue: false } : option));
}

/** npm explains options without their values, which are listed above. */
function withBlock(option: PageOption, others: readonly PageOption[]): PageOption {
  const other = others.find(({ flags }) => flags.some((flag) => option.flags.includes(flag)));
  return other?.value === undefined || option.value !== undefined ? option : { ...option, value: other.value };
}

function withUsage(option: PageOption, others: readonly PageOption[]): PageOption {
  const other = others.find(({ flags }) => flags.some((flag) => option.flags.includes(flag)));
  const no = `--no-${option.flags[0]?.replace(/^-+/, '')}`;
  const isNegatable = option.value === undefined && others.some(({ flags }) => flags.includes(no));
  const negated = option.negated ?? (isNegatable ? no : undefined);
  if (other === undefined) return negated === undefined ? option : { ...option, negated };
  if (option.value === undefined && negated === undefined) return withSynopsisValue(option, other);
  const choices = option.value?.choices.length ? option.value.choices : (other.value?.choices ?? []);
  return {
    ...option,
    negated,
    value: option.value && { ...option.value, choices },
    isRepeatable: option.isRepeatable || (other.isRepeatable && option.value !== undefined),
    isRequired: option.isRequired || other.isRequired,
  };
}

/** `--no-audit` in npm's list turns the setting `audit` off. */
function toPositive(option: PageOption): PageOption {
  const [flag = ''] = option.flags;
  if (option.value !== undefined || !flag.startsWith('--no-')) return option;
  return { ...option, flags: [flag.replace('--no-', '--')], negated: flag };
}

/** True when an option or its opposite has its own line. */
function isKnown({ flags }: PageOption, listed: readonly PageOption[]): boolean {
  return flags.some((flag) =>
    listed.some((option) => option.flags.includes(flag) || option.flags.includes(flag.replace(/^--no-/, '--'))),
  );
}

/** Returns lines under an options heading in the notation of a usage line: `[-g|--global] [--json]`. */
function readBlock(sections: readonly HelpSection[]): string {
  const body = sections.find(({ title }) => /^options:?$/i.test(title))?.body ?? [];
  const end = body.findIndex((line) => line.trim() === '');
  const block = end === -1 ? body : body.slice(0, end);
  return block.every((line) => line.startsWith('[')) ? block.join(' ') : '';
}

/** `accepts the options accepted by the terraform plan command` → `terraform plan`. */
function readBorrowed(text: string, [program = '']: readonly string[]): string[][] {
  const name = program.split('/').at(-1) ?? program;
  const pattern =
    /\b(?:options|flags)\s+(?:that\s+are\s+)?(?:accepted|understood|taken)\s+by\s+(?:the\s+)?["'`]?([\w.-]+(?:\s+[\w-]+){1,2}?)["'`]?\s+command\b/gi;
  return [...text.matchAll(pattern)]
    .map((match) => (match[1] ?? '').split(/\s+/))
    .filter(([first]) => first === name)
    .map(([, ...rest]) => [program, ...rest]);
}

/** Collects descriptions of positionals, by their names in lower case. */
function readArguments(sections: readonly HelpSection[]): ReadonlyMap<string, string> {
  const described = new Map<string, string>();
  for (const { title, body } of sections) {
    if (!/\b(?:arguments?|positionals?|args):?$/i.test(title) || /optional/i.test(title)) continue;
    for (const line of body) {
      const match = /^\s+[<[{]?([A-Za-z][\w-]*)[>\]}]?(?:\.\.\.|…)?\s{2,}(\S.*)$/.exec(line);
      if (match !== null) described.set((match[1] ?? '').toLowerCase(), match[2] ?? '');
    }
  }
  return described;
}

/** Keeps the first of options that share a spelling. */
function uniqueOptions(options: readonly PageOption[]): PageOption[] {
  const seen = new Set<string>();
  return options.filter(({ flags }) => {
    if (flags.some((flag) => seen.has(flag))) return false;
    for (const flag of flags) seen.add(flag);
    return true;
  });
}

function uniqueCommands(commands: readonly PageCommand[]): PageCommand[] {
  return [...new Map(commands.toReversed().map((command) => [command.name, command])).values()].toReversed();
}

function readCommands({ title, body }: HelpSection, command: readonly string[]): PageCommand[] {
  // npm lists its commands as running text: `access, adduser, audit,`.
  const words = body.join(' ').trim().split(/,\s+/);
  if (words.length > 4 && words.every((word) => /^[a-z][\w-]*$/.test(word))) {
    return words.filter((name) => name !== 'help').map((name) => ({ name, description: '' }));
  }
  const columns = readColumns(body);
  if (columns.length > 0) return columns;
  // git has groups below a heading that itself says nothing.
  let group = toGroup(title);
  const isCommon = /\b(?:common|basic|most used)\b/i.test(title);
  return withGaps(joinWrapped(body)).flatMap((line) => {
    if (/^[a-z]\S* \S/.test(line)) group = toGroup(line);
    const one = readCommandLine(line, command);
    return one === undefined ? [] : [{ ...one, group, ...(isCommon ? { isCommon } : {}) }];
  });
}

/** Widens the gap after the longest name of a list to two spaces: some programs leave only one. */
function withGaps(lines: readonly string[]): string[] {
  const columns = new Set(lines.flatMap((line) => /^ {1,8}[a-z]\S* {2,}(?=\S)/.exec(line)?.[0].length ?? []));
  const [column] = columns;
  if (column === undefined || columns.size > 1) return [...lines];
  return lines.map((line) => {
    const start = /^ {1,8}[a-z][\w:-]* (?=\S)/.exec(line)?.[0];
    return start?.length === column ? `${start} ${line.slice(column)}` : line;
  });
}

/** Joins a description that continues in its column on the next lines. */
function joinWrapped(body: readonly string[]): string[] {
  const lines: string[] = [];
  let column = 0;
  for (const line of body) {
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    const last = lines.at(-1);
    if (last !== undefined && column > 8 && indent === column) lines[lines.length - 1] = `${last} ${line.trim()}`;
    else {
      lines.push(line);
      column = /^ {1,8}\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
    }
  }
  return lines;
}

/** `npm test   run this project's tests` above the list: these commands are the most used. */
function withShown(
  commands: readonly PageCommand[],
  lines: readonly string[],
  command: readonly string[],
): PageCommand[] {
  const start = `${command.join(' ')} `;
  const shown = lines
    .filter((line) => line.trimStart().startsWith(start))
    .map((line) => line.trim().slice(start.length));
  return commands.map((one) => {
    const texts = shown.flatMap((line) => {
      const [, name, text = ''] = /^([a-z][\w-]*)(?: [<[]\S+)*\s{2,}(\S.*)$/.exec(line) ?? [];
      return name === one.name ? [text.replace(/[.]?$/, '.').replace(/^[a-z]/, (letter) => letter.toUpperCase())] : [];
    });
    return texts.length === 0 || one.description !== '' ? one : { ...one, details: texts.join(' '), isCommon: true };
  });
}

/** Reads names in several columns and nothing else, as openssl lists them. */
function readColumns(body: readonly string[]): PageCommand[] {
  const rows = body.map((line) => line.trim()).filter((line) => line !== '');
  const cells = rows.map((row) => row.split(/\s{2,}/));
  const areNames = cells.every((row) => row.every((cell) => /^[a-z][\w-]*$/.test(cell)));
  if (rows.length < 2 || !areNames || cells.filter((row) => row.length > 2).length < rows.length - 1) return [];
  return cells.flat().flatMap((name) => (name === 'help' ? [] : [{ name, description: '' }]));
}

/** `  set-property UNIT PROPERTY=VALUE... Sets properties`: words in capitals, the last of which may touch the description. */
const WITH_WORDS =
  /^ {1,8}([a-z][\w-]*)()((?: \[-[^\]]*\]| \[?[A-Z][A-Z_]*(?:=[A-Z]+)?(?:\.\.\.)?(?:\|[A-Z]+(?:\.\.\.)?)*(?: \[[A-Z]+\])?\]?)+)(?: {2,}| (?=[A-Z][a-z]))(\S.*)$/;

/** `  commit, ci <file>   Record changes` → `commit`; `undefined` for other lines. */
function readCommandLine(line: string, [program = '', ...rest]: readonly string[]): PageCommand | undefined {
  // yargs writes the whole command: ` tool serve [port] Start`.
  const whole = [program.split('/').at(-1) ?? program, ...rest].join(' ');
  const own = line.trimStart().startsWith(`${whole} `) ? `  ${line.trimStart().slice(whole.length + 1)}` : line;
  const match =
    /^ {1,8}([a-z][\w-]*):?\*?((?:(?:, ?|\|)[\w-]+)*)((?: (?:<[^>]+>|\[[^\]]+\](?:\.\.\.)?))*)(?: {2,}| *$)(.*)$/.exec(
      own,
    ) ??
    WITH_WORDS.exec(own) ??
    // `  update - Retrieve new lists`, as apt writes it.
    /^ {1,8}([a-z][\w-]*)()() - (\S.*)$/.exec(own);
  const name = match?.[1];
  if (match === null || name === undefined || name === 'help') return undefined;
  const usage = (match[3] ?? '').trim();
  const description = (match[4] ?? '').trim();
  // commander: `pack|p [options]`; yargs: `[aliases: i, add]`.
  const marked = /\[aliases: ([^[\]]*)\]$/.exec(description);
  const written = (match[2] ?? '').startsWith('|') ? (match[2] ?? '').split('|') : [];
  const aliases = [...written, ...(marked?.[1] ?? '').split(/,\s*/)].filter((alias) => alias !== '');
  return {
    name,
    description: description.slice(0, marked?.index).trim(),
    ...(usage === '' ? {} : { usage }),
    ...(aliases.length === 0 ? {} : { aliases }),
  };
}

/** `aliases: add, i, in, isntall`: other names, without abbreviations and misspellings. */
function readAliasLine(lines: readonly string[], command: readonly string[]): string[][] {
  const own = command.at(-1) ?? '';
  const letters = (text: string): string => text.split('').toSorted().join('');
  const starts = new Set(own.split('').map((_, at) => letters(own.slice(0, at + 1))));
  const listed = lines.flatMap((line) => /^alias(?:es)?: (\S.*)$/i.exec(line)?.[1]?.split(/,\s*/) ?? []);
  return listed
    .filter((name) => /^[a-z][\w-]+$/.test(name) && !starts.has(letters(name)))
    .map((name) => [...command.slice(0, -1), name]);
}

/** Reads `docker container ls, docker ps` as words; single names are siblings of the command. */
function readAliases(sections: readonly HelpSection[], command: readonly string[]): string[][] {
  const body = sections.find(({ title }) => /^alias(?:es)?:?$/i.test(title))?.body.join(' ') ?? '';
  return body
    .split(',')
    .map((alias) => alias.trim().split(/\s+/))
    .filter((words) => words.every((word) => /^[\w.-]+$/.test(word)))
    .map((words) => (words.length === 1 && words[0] !== command[0] ? [...command.slice(0, -1), ...words] : words))
    .filter((words) => words.join(' ') !== command.join(' '));
}
