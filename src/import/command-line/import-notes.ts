import type { PageOption } from './command-page.ts';
import type { GlobalOptions } from './global-options.ts';
import { type CliToolData, isUseless, type MadeCliTool } from './to-cli-tool.ts';
import type { Walk, WalkedPage } from './walk-commands.ts';

interface ImportResult {
  readonly command: readonly string[];
  readonly walk: Walk;
  readonly made: readonly MadeCliTool[];
  readonly tools: readonly CliToolData[];
  readonly globals: GlobalOptions;
  /** Commands that need a person at a screen. */
  readonly forPeople: readonly WalkedPage[];
  /** Other names of commands: `docker container ls = docker ps`. */
  readonly dropped: readonly string[];
}

const MAX_NAMED = 8;
/** Options that a person may miss if they are omitted. */
const ASKING: ReadonlySet<string> = new Set(['--interactive', '--edit', '--web']);

/** Writes the notes of an import: everything that was omitted, guessed or needs a decision. */
export function importNotes({ command, walk, made, tools, globals, forPeople, dropped }: ImportResult): string[] {
  const variables = [...new Set(tools.flatMap(({ env_pass: names = [] }) => names))];
  const people = forPeople.map(({ page }) => page.command.join(' '));
  return [
    ...note(walk.skipped, 'Not read, because there were too many (--limit) or time ran out (--timeout)'),
    ...note(walk.failed, 'Did not answer'),
    ...noteMissing(walk),
    ...noteListOnly(walk),
    ...noteDoubts(made),
    ...noteGlobals(command, globals, made),
    // They may contain credentials.
    ...(variables.length === 0
      ? []
      : [
          `Variables passed to the commands if they are set, in addition to PATH, HOME, LANG and those for certificates: ${variables.join(', ')}. Remove from env_pass what they should not have.`,
        ]),
    ...noteLeft('Left out of read-only tools, because they write files or run programs', made, ({ left }) => left),
    ...noteLeft(
      'Left out, because their text mentions a value that their page does not show, and the next word of a call could become it',
      made,
      ({ unsure }) => unsure,
    ),
    ...noteLeft('Left out, because they need a person at a terminal', made, ({ page }) =>
      page.options.filter((option) => option.flags.some((flag) => ASKING.has(flag)) && isUseless(option)),
    ),
    ...note(people, 'Left out, because they need a person at an editor or a screen').map(
      (text) => `${text} --only takes them.`,
    ),
    ...note(dropped, 'One tool for several names of a command'),
  ];
}

function note(words: readonly string[], what: string): string[] {
  return words.length === 0 ? [] : [`${what}: ${named(words)}.`];
}

/** Lists the requested subcommands that do not exist. */
export function noteMissing({ root, missing }: Walk): string[] {
  const names = root.commands.map(({ name }) => name).join(', ');
  return missing.map((words) => `No subcommand of ${root.command.join(' ')} fits --only "${words}". It has: ${names}.`);
}

/** Lists uncertain findings, with the tools that share them. */
function noteDoubts(made: readonly MadeCliTool[]): string[] {
  const tools = new Map<string, string[]>();
  for (const { page, tool } of made) {
    for (const doubt of page.doubts ?? []) tools.set(doubt, [...(tools.get(doubt) ?? []), tool.name]);
  }
  return [...tools].map(([doubt, names]) => `Not certain, of ${named(names)}: ${doubt}.`);
}

function noteListOnly({ root: { command, commands }, isListOnly }: Walk): string[] {
  if (!isListOnly) return [];
  const name = command.join(' ');
  return [
    `The subcommands of ${name} were not called with --help: it is a script, and a subcommand without --help would do its work. Their descriptions come from the help of the script. To read one that supports --help: pegboard import cli ${name} ${commands[0]?.name ?? ''}`,
  ];
}

function noteGlobals(command: readonly string[], { left }: GlobalOptions, made: readonly MadeCliTool[]): string[] {
  const had = new Set(made.flatMap(({ page }) => page.options.map(({ flags: [flag = ''] }) => flag)));
  const flags = left.map(({ flags: [flag = ''] }) => flag).filter((flag) => !had.has(flag));
  if (flags.length === 0) return [];
  const name = flags[0]?.replace(/^-+/, '');
  return [
    `Options of ${command[0]} for all subcommands that the tools omit: ${named(flags)}. To include one: pegboard import cli ${command.join(' ')} --global ${name}`,
  ];
}

function noteLeft(
  why: string,
  made: readonly MadeCliTool[],
  find: (item: MadeCliTool) => readonly PageOption[],
): string[] {
  const tools = new Map<string, string[]>();
  for (const item of made) {
    const flags = new Set(find(item).map(({ flags: [flag = ''] }) => flag.replace(/=$/, '')));
    for (const flag of flags) tools.set(flag, [...(tools.get(flag) ?? []), item.tool.name]);
  }
  const flags = [...tools].map(
    ([flag, [first = '', ...rest]]) => `${flag} of ${first}${rest.length === 0 ? '' : ` and ${rest.length} more`}`,
  );
  return note(flags, why);
}

/** Joins the first few words of many. */
function named(words: readonly string[]): string {
  const rest = words.length - MAX_NAMED;
  return `${words.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
