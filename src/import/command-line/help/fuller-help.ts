import type { PageCommand } from '../command-page.ts';

/** Ways in which a short help says how to get a longer one, and the words that ask for it. */
const HINTS: readonly (readonly [pattern: RegExp, words: readonly string[]])[] = [
  [/--help all\b/, ['--help', 'all']],
  [/^\s*-h long\b/m, ['-h', 'long']],
  [/'\S+ help -a'/, ['help', '-a']],
];

/** The command line for a longer help, where a short one names it; `undefined` where it does not. */
export function fullerQuestion(command: readonly string[], text: string): readonly string[] | undefined {
  const words = HINTS.find(([pattern]) => pattern.test(text))?.[1];
  return words === undefined || command.length > 1 ? undefined : [...command, ...words];
}

/** Headings of an index of everything under which no commands stand. */
const OTHER = /\b(?:interfaces|formats|aliases|guides|external)\b/i;

/** Words of headings that say nothing about what the commands below them do. */
const VAGUE =
  /\b(?:(?:sub)?commands?|these|are|used|in|various|situations|common|available|other|additional|all|core|basic|main|porcelain|management|advanced|miscellaneous|supported|standard|the|most|commonly|general|for|of|usage)\b/gi;

/** What a heading says its commands are for; `undefined` where it says no more than that they are commands. */
export function toGroup(heading: string): string | undefined {
  const text = heading.replaceAll(/\([^)]*\)|:$/g, '').trim();
  if (text.replaceAll(VAGUE, '').replaceAll(/\W/g, '') === '') return undefined;
  return text.replace(/\s+(?:sub)?commands?$/i, '').replaceAll(/\s+/g, ' ');
}

/** The subcommands in an index such as that of `git help -a`: names under headings without a colon. */
export function readIndex(text: string): PageCommand[] {
  const found: PageCommand[] = [];
  let isList = false;
  let group: string | undefined;
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      isList = !OTHER.test(line);
      group = toGroup(line);
    }
    const match = /^ {2,4}([a-z][\w-]*) {2,}(\S.*)$/.exec(line);
    if (isList && match !== null) found.push({ name: match[1] ?? '', description: match[2] ?? '', group });
  }
  return found;
}
