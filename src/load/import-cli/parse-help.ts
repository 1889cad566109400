import type { HelpCommand, HelpOption, HelpPage, HelpPositional } from './help-page.ts';
import { readCommandLine, readListing } from './read-listing.ts';
import { readOptions } from './read-options.ts';
import { readUsages } from './read-usages.ts';
import { splitSections } from './split-sections.ts';

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
