/** Traces of parsers that take `--flag=value`, whichever way their help writes it. */
const TRACES: readonly RegExp[] = [
  // Cobra and what is built on it.
  /^\s*(?:-\w, )?\s*--[\w-]+ (?:string|strings|int|uint\d*|float\d*|duration|list|stringArray|bytes)(?:\s{2,}|$)/m,
  /Use ['"].+ --help['"] for more information about a/,
  /^Use "\S+ options" for a list of global/m,
  // clap, Click, argparse, yargs, commander, npm.
  /\[possible values: |^\s*-h, --help\s+Print help/m,
  /--help\s+Show this message and exit\./,
  /show this help message and exit/,
  /\[(?:boolean|string|number|array)\]\s*$/m,
  /display help for command/,
  /^Run "npm help/m,
  // The short help of git's own commands.
  /^usage: git [\s\S]{0,4000}?^ {4}(?:-\w, )?--[\w-]+/m,
];

/** Whether a program is built with Cobra, which has a hidden command for completions. */
export function isCobra(text: string): boolean {
  return /^Use "[^"\n]+ \[command\] --help" for more information about a command\.$/m.test(text);
}

/** Whether the parser behind a help text is known to take `--flag=value`. */
export function knowsJoinedValues(text: string): boolean {
  return TRACES.some((trace) => trace.test(text));
}
