/** A line of argparse's help for an argument or a subcommand, with its description. */
export interface ArgparseEntry {
  /** The left column: `-s SIZE, --size SIZE`, `HOST`, `{draw,list}`, `list (ls)`. */
  readonly spec: string;
  readonly description: string;
  /** The entries below it: subcommands. */
  readonly below: readonly ArgparseEntry[];
}

/** The parts of a help text of argparse. */
export interface ArgparseHelp {
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
export function readEntries(lines: readonly string[]): ArgparseHelp | undefined {
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
