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

/** The subcommands in an index such as that of `git help -a`: names under headings without a colon. */
export function readIndex(text: string): PageCommand[] {
  const found: PageCommand[] = [];
  let isList = false;
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) isList = !OTHER.test(line);
    const match = /^ {2,4}([a-z][\w-]*) {2,}(\S.*)$/.exec(line);
    if (isList && match !== null) found.push({ name: match[1] ?? '', description: match[2] ?? '' });
  }
  return found;
}
