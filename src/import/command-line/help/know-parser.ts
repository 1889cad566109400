import { isKnownToJoin } from '../../packs/knowledge.ts';
import type { HelpParser } from '../command-page.ts';

/** Traces of parsers that take `--flag=value`, whichever way their help writes it. */
const TRACES: readonly RegExp[] = [
  // Cobra and what is built on it.
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

/** What only the help of one library has, all of it. The first that fits counts. */
const MARKS: readonly (readonly [HelpParser, ...RegExp[]])[] = [
  // It has a hidden command for completions.
  ['cobra', /^Use "[^"\n]+ \[command\] --help" for more information about a command\.$/m],
  ['click', /^\s*(?:-\w, )?--help\s.*Show this message and\s+exit\./m],
  ['argparse', /^usage: /m, /^positional arguments:$|^ {2}-h, --help\s+show this help message/m],
  ['optparse', /^Usage: /m, /^ {2}-h, --help\s+show this help message and exit/m],
  ['commander', /^ {2}-h, --help\s+display help for command$/m],
  ['yargs', /^ +--version\s+Show version number\s+\[boolean\]$/m],
];

/** The library that wrote a help text; `undefined` where it does not show. */
export function knowParser(text: string): HelpParser | undefined {
  return MARKS.find(([, ...marks]) => marks.every((mark) => mark.test(text)))?.[0];
}

/** Whether the parser behind a help text is known to take `--flag=value`. */
export function knowsJoinedValues(text: string): boolean {
  return TRACES.some((trace) => trace.test(text)) || isKnownToJoin(text);
}
