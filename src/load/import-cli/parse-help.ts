import type { HelpCommand, HelpOption, HelpPage, HelpPositional } from './help-page.ts';
import { readOptions } from './read-options.ts';
import { readUsages } from './parse-usage.ts';

/** Reads the output of `--help` of a command named by these words. What it cannot read, it leaves out. */
export function parseHelp(text: string, command: readonly string[]): HelpPage {
  const lines = text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', '        ').trimEnd());
  const sections = splitSections(lines);
  const usage = readUsages(lines, command);
  const commands: HelpCommand[] = [];
  const described = new Map<string, string>();
  for (const { title, body } of sections) {
    if (isCommandTitle(title)) commands.push(...readListing(body, readCommandLine));
    else if (/\barguments?:?$/i.test(title) && !/optional/i.test(title)) {
      for (const [name, description] of readListing(body, readArgumentLine)) described.set(name, description);
    }
  }
  const options = uniqueOptions(readOptions(lines));
  return {
    description: readDescription(lines, command),
    options: options.length > 0 ? options : uniqueOptions(usage.options),
    positionals: usage.positionals.map((positional) => describe(positional, described)),
    commands: uniqueCommands(commands),
  };
}

/** `Commands:`, `Available Commands:`, `These are common Git commands used in various situations:` */
function isCommandTitle(title: string): boolean {
  return /\b(?:sub)?commands\b[^.]*:?$/i.test(title) && !/\boptions\b/i.test(title);
}

/** `  <file>   what to read` */
function readArgumentLine(line: string): readonly [name: string, description: string] | undefined {
  const match = /^\s+[<[{]?([A-Za-z][\w-]*)[>\]}]?(?:\.\.\.|…)?\s{2,}(\S.*)$/.exec(line);
  return match === null ? undefined : [(match[1] ?? '').toLowerCase(), match[2] ?? ''];
}

function describe(positional: HelpPositional, described: ReadonlyMap<string, string>): HelpPositional {
  return { ...positional, description: described.get(positional.name.toLowerCase()) ?? '' };
}

/** The first paragraph above the lists that is neither usage nor a heading. */
function readDescription(lines: readonly string[], command: readonly string[]): string {
  const end = lines.findIndex((line) => /^\s*-{1,2}[A-Za-z]/.test(line) || isCommandTitle(line.trim()));
  const above = end === -1 ? lines : lines.slice(0, end);
  const name = command.at(-1) ?? '';
  for (const paragraph of above.join('\n').split(/\n\s*\n/)) {
    const rest = paragraph.split('\n').filter((line) => !/^\s*usage:?|^\s+or:|^\s{6,}|^examples?\b|:$/i.test(line));
    const text = rest.join(' ').replaceAll(/\s+/g, ' ').trim();
    const isSentence = /^[A-Z]/.test(text) || text.startsWith(`${name} - `);
    if (isSentence && text.includes(' ')) return text.replace(`${name} - `, '');
  }
  return '';
}

/** The first of those that share a spelling. */
function uniqueOptions(options: readonly HelpOption[]): HelpOption[] {
  const seen = new Set<string>();
  return options.filter(({ flags }) => {
    if (flags.some((flag) => seen.has(flag))) return false;
    for (const flag of flags) seen.add(flag);
    return true;
  });
}

function uniqueCommands(commands: readonly HelpCommand[]): HelpCommand[] {
  return [...new Map(commands.map((command) => [command.name, command])).values()];
}

/** Every line of a list that can be read. */
function readListing<T>(lines: readonly string[], read: (line: string) => T | undefined): T[] {
  return lines.flatMap((line) => {
    const item = read(line);
    return item === undefined ? [] : [item];
  });
}

/** `  commit, ci <file>   Record changes` → `commit`; `undefined` for other lines. */
function readCommandLine(line: string): HelpCommand | undefined {
  const match =
    /^ {1,8}([a-z][\w-]*)\*?((?:, ?[\w-]+)*)((?: (?:<[^>]+>|\[[^\]]+\](?:\.\.\.)?))*)(?: {2,}| *$)(.*)$/.exec(line);
  const name = match?.[1];
  if (match === null || name === undefined || name === 'help') return undefined;
  return { name, description: (match[4] ?? '').trim() };
}

/** A heading of a help text and the lines under it. */
interface HelpSection {
  readonly title: string;
  readonly body: readonly string[];
}

/** Cuts a help text at its headings. Groups under a heading, as git has them, stay part of its section. */
function splitSections(lines: readonly string[]): HelpSection[] {
  const sections: { title: string; body: string[] }[] = [{ title: '', body: [] }];
  for (const line of lines) {
    if (isHeading(line)) sections.push({ title: line.trim(), body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}

function isHeading(line: string): boolean {
  if (/^ {0,2}-/.test(line)) return false;
  return /^ ?\S[^:]*:$/.test(line) || /^[A-Z][A-Z -]{3,}$/.test(line);
}
