import { isKnownToJoin, matches } from '../../packs/knowledge.ts';
import type { HelpParser, PageCommand } from '../command-page.ts';

/** Traces of parsers that accept `--flag=value`, however their help writes it. */
const TRACES: readonly RegExp[] = [
  // Cobra and libraries built on it.
  /^\s*(?:-\w, )?\s*--[\w-]+ (?:string|strings|int|uint\d*|float\d*|duration|list|stringArray|bytes)(?:\s{2,}|$)/m,
  /Use ['"].+ --help['"] for more information about a/,
  /^Use "\S+ options" for a list of global/m,
  // clap, Click, argparse, yargs, commander.
  /\[possible values: |^\s*-h, --help\s+Print help/m,
  /--help\s+Show this message and exit\./,
  /show this help message and exit/,
  /\[(?:boolean|string|number|array)\]\s*$/m,
  /display help for command/,
];

/** Marks of the help of one library, all of which must occur. The first matching library wins. */
const MARKS: readonly (readonly [HelpParser, ...RegExp[]])[] = [
  // It has a hidden command for completions.
  ['cobra', /^Use "[^"\n]+ \[command\] --help" for more information about a command\.$/m],
  ['click', /^\s*(?:-\w, )?--help\s.*Show this message and\s+exit\./m],
  ['argparse', /^usage: /m, /^positional arguments:$|^ {2}-h, --help\s+show this help message/m],
  ['optparse', /^Usage: /m, /^ {2}-h, --help\s+show this help message and exit/m],
  ['commander', /^ {2}-h, --help\s+display help for command$/m],
  ['yargs', /^ +--version\s+Show version number\s+\[boolean\]$/m],
];

/** Returns the library that wrote a help text; `undefined` if unknown. */
export function detectParser(text: string): HelpParser | undefined {
  return MARKS.find(([, ...marks]) => marks.every((mark) => mark.test(text)))?.[0];
}

/** True when the parser behind a help text is known to accept `--flag=value`. */
export function acceptsJoinedValues(text: string): boolean {
  return TRACES.some((trace) => trace.test(text)) || isKnownToJoin(text);
}

/** Hints in a short help at a longer one, and the words that request it. */
const HINTS: readonly (readonly [pattern: RegExp, words: readonly string[]])[] = [
  [/--help all\b/, ['--help', 'all']],
  [/^\s*-h long\b/m, ['-h', 'long']],
  [/'\S+ help -a'/, ['help', '-a']],
];

/** Returns the command line for a longer help if a short one mentions it. */
export function longerHelpCommand(command: readonly string[], text: string): readonly string[] | undefined {
  const words = HINTS.find(([pattern]) => pattern.test(text))?.[1];
  return words === undefined || command.length > 1 ? undefined : [...command, ...words];
}

/** Heading words that do not describe the commands below. */
const VAGUE =
  /\b(?:(?:sub)?commands?|these|are|used|in|various|situations|common|available|other|additional|all|core|basic|main|porcelain|management|advanced|miscellaneous|supported|standard|the|most|commonly|general|for|of|usage)\b/gi;

/** Returns the purpose in a heading; `undefined` if it only says that commands follow. */
export function toGroup(heading: string): string | undefined {
  const text = heading.replaceAll(/\([^)]*\)|:$/g, '').trim();
  if (text.replaceAll(VAGUE, '').replaceAll(/\W/g, '') === '') return undefined;
  return text.replace(/\s+(?:sub)?commands?$/i, '').replaceAll(/\s+/g, ' ');
}

/** Reads the subcommands in an index such as that of `git help -a`: names under headings without a colon. */
export function readIndex(text: string): PageCommand[] {
  const found: PageCommand[] = [];
  let isList = false;
  let group: string | undefined;
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      isList = !matches('index_without_commands', line);
      group = toGroup(line);
    }
    const match = /^ {2,4}([a-z][\w-]*) {2,}(\S.*)$/.exec(line);
    if (isList && match !== null) found.push({ name: match[1] ?? '', description: match[2] ?? '', group });
  }
  return found;
}
