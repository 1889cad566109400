import { ToolError } from '../../tool/tool-error.ts';
import { knownOf } from '../packs/knowledge.ts';
import type { Ask } from './ask-command.ts';
import type { CommandPage, PageExample, PageOption } from './command-page.ts';
import { correctPage } from './correct-page.ts';
import { exampleTokens } from './examples/read-line.ts';
import { describeWords, learnFromExamples } from './examples/learn-from-examples.ts';
import { allowStandIns, nameResources } from './examples/name-resources.ts';
import { type LineBuilder, toToolExamples } from './examples/to-tool-examples.ts';
import { toUtterances } from './examples/to-utterances.ts';
import { expandPage } from './expand-page.ts';
import { chooseGlobals, type GlobalOptions, globalsOf, nameGlobals, withGlobals } from './global-options.ts';
import { findSharedVariables, guessVariables } from './guess/guess-variables.ts';
import { needsScreen } from './guess/guess-running.ts';
import { mergePages } from './merge-pages.ts';
import { orderFilters } from './order-filters.ts';
import { type PageFolders, readPage } from './read-page.ts';
import { dropAliases, type Walk, walkCommands, type WalkedPage, type WalkOptions } from './walk-commands.ts';
import { type CliToolData, isUseless, type MadeCliTool, toCliTool, toCommandForm } from './to-cli-tool.ts';

/** Options of an import. */
export interface ImportCliOptions extends WalkOptions, PageFolders {
  /** Global options that each tool gets besides those that are chosen; `all` or `none`. */
  readonly globals?: readonly string[] | undefined;
  /** Variables that the program is known to need besides those that its pages name. Default: none */
  readonly variables?: readonly string[] | undefined;
  /** Requests of people who need a command, by its words: `git push`. Default: none */
  readonly utterances?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Builds command lines of calls, to keep the examples of pages that a tool reproduces. Default: tools have no examples */
  readonly buildLine?: LineBuilder | undefined;
}

/** The tools of a command, and what a person should know about them. */
export interface CliImport {
  readonly tools: readonly CliToolData[];
  /** The word from which the risk of a tool was guessed, by the tool's name. */
  readonly guesses: ReadonlyMap<string, string>;
  /** The same for the risks of arguments, by the names of the tool and the argument. */
  readonly argumentGuesses: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly notes: readonly string[];
  /** Pages that were read. */
  readonly pages: number;
  /** Examples that the pages of the tools show, and those above them; the tools have those that they reproduce. */
  readonly shownExamples: number;
}

/** Makes tools of a command from what it says about itself: one for each subcommand that does something. */
export async function importCli(
  command: readonly string[],
  ask: Ask,
  options: ImportCliOptions = {},
): Promise<CliImport> {
  const known = new Map<string, Promise<CommandPage>>();
  const read = (words: readonly string[]): Promise<CommandPage> => {
    const key = words.join(' ');
    const page = known.get(key) ?? readPage(words, ask, options);
    known.set(key, page);
    return page;
  };
  await checkSubcommand(command, read, ask);
  const walk = await walkCommands(command, read, options);
  if (walk.leaves.length === 0 && walk.missing.length > 0) {
    throw new ToolError({ code: 'not_found', message: noteMissing(walk).join(' ') });
  }
  const { pages: all, dropped } = dropAliases(walk.leaves);
  const isForPeople = ({ page, about }: WalkedPage): boolean => needsScreen(page, about || page.summary);
  // Who names one gets it.
  const forPeople = (options.only ?? []).length > 0 || all.every(isForPeople) ? [] : all.filter(isForPeople);
  const asked = { named: options.globals };
  const pages = all.filter((page) => !forPeople.includes(page)).map((page) => ({ ...page, ...asked }));
  const own = await Promise.all(
    pages.map(async ({ page, ...listed }) => {
      const joinsValues = page.joinsValues || walk.root.joinsValues;
      const parser = page.parser ?? walk.root.parser;
      const corrected = { ...correctPage(page), joinsValues, parser, isScript: options.isScript };
      return { ...listed, page: await withBorrowed(corrected, read), shownAbove: await examplesAbove(page, read) };
    }),
  );
  const chosen = chooseGlobals(await readGlobals(walk.root, read), options.globals);
  const globals = nameGlobals(
    chosen,
    own.map(({ page }) => page),
  );
  const made = own.map(({ page, shownAbove, ...listed }) => {
    const learned = learnFromExamples(nameResources(expandPage(withGlobals(page, globals))));
    const known = describeWords(allowStandIns(learned));
    const item = orderFilters(toCliTool(known, listed));
    const shown = { ...item, page: { ...item.page, examples: [...item.page.examples, ...shownAbove] } };
    const examples = options.buildLine === undefined ? [] : toToolExamples(shown, options.buildLine);
    const tool = keepQuiet(examples.length === 0 ? item.tool : { ...item.tool, examples }, item.page);
    const utterances = [...utterancesOf(item.page, options.utterances), ...toUtterances(item.page, tool)];
    const count = shown.page.examples.length;
    return { ...item, tool: utterances.length === 0 ? tool : { ...tool, utterances }, count };
  });
  const shared = findSharedVariables(made.map(({ page }) => page));
  const ofProgram = { ...walk.root, variables: [...(walk.root.variables ?? []), ...shared] };
  const tools = made.map(({ tool, page }) => {
    const variables = guessVariables(page, ofProgram, options.variables);
    return variables.length === 0 ? tool : { ...tool, env_pass: variables };
  });
  return {
    tools,
    guesses: new Map(made.flatMap(({ tool, guess }) => (guess === undefined ? [] : [[tool.name, guess.from]]))),
    argumentGuesses: new Map(made.map(({ tool, argumentGuesses }) => [tool.name, argumentGuesses])),
    notes: [
      ...toNotes(walk),
      ...noteDoubts(made),
      ...noteGlobals(command, globals, made),
      ...noteVariables(tools),
      ...noteLeft('Left out of tools that only read, for they write files or run programs', made, ({ left }) => left),
      ...noteLeft(
        'Left out, for their text tells of a value that their page does not write, and the next word of a call could become it',
        made,
        ({ unsure }) => unsure,
      ),
      ...noteLeft('Left out, for they need a person at a terminal', made, ({ page }) =>
        page.options.filter(({ flags }) => flags.some((flag) => ASKING.has(flag))).filter(isUseless),
      ),
      ...(forPeople.length === 0
        ? []
        : [
            `Left out, for they need a person at an editor or a screen: ${named(forPeople.map(({ page }) => page.command.join(' ')))}. --only takes them.`,
          ]),
      ...(dropped.length === 0 ? [] : [`One tool for several names of a command: ${named(dropped)}.`]),
    ],
    pages: known.size,
    shownExamples: made.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Finds the requests of people who need a command, under any of its names. */
function utterancesOf({ command, aliases }: CommandPage, known: ImportCliOptions['utterances']): readonly string[] {
  const [program = '', ...words] = command;
  const names = [[program.split('/').at(-1) ?? '', ...words], ...aliases].map((name) => name.join(' '));
  return [...new Set(names.flatMap((name) => known?.get(name) ?? []))];
}

type Read = (words: readonly string[]) => Promise<CommandPage>;

/** The global options of the program, also where the import begins at a subcommand. */
async function readGlobals(root: CommandPage, read: Read): Promise<ReturnType<typeof globalsOf>> {
  const [program = '', first] = root.command;
  if (first === undefined) return globalsOf(root);
  try {
    const page = await read([program]);
    return page.commands.some(({ name }) => name === first) ? globalsOf(page) : [];
  } catch {
    return [];
  }
}

/** A page with the options of others that it says it takes. */
async function withBorrowed(page: CommandPage, read: Read): Promise<CommandPage> {
  let whole = page;
  for (const words of page.borrows) {
    if (words.join(' ') === page.command.join(' ')) continue;
    try {
      const { options } = await read(words);
      whole = mergePages(whole, { ...whole, options: options.filter(({ isRequired }) => !isRequired), examples: [] });
    } catch {
      // Its page is a help, not a need.
    }
  }
  return whole;
}

/** Collects the examples of a command on the pages above it: many programs show those of all subcommands on their first page. */
async function examplesAbove(page: CommandPage, read: Read): Promise<readonly PageExample[]> {
  const { command } = page;
  const found: PageExample[] = [];
  for (let words = command.length - 1; words > 0; words--) {
    try {
      const { examples } = await read(command.slice(0, words));
      found.push(...examples.filter(({ line }) => exampleTokens(page, line) !== undefined));
    } catch {
      // Its page is a help, not a need.
    }
  }
  return found;
}

const MAX_NAMED = 8;

function toNotes(walk: Walk): string[] {
  const { skipped, failed } = walk;
  return [
    ...(skipped.length === 0
      ? []
      : [`Not asked, for there were too many (--limit) or the time was over (--timeout): ${named(skipped)}.`]),
    ...(failed.length === 0 ? [] : [`Did not answer: ${named(failed)}.`]),
    ...noteMissing(walk),
    ...noteListOnly(walk),
  ];
}

function noteMissing({ root, missing }: Walk): string[] {
  const names = root.commands.map(({ name }) => name).join(', ');
  return missing.map((words) => `No subcommand of ${root.command.join(' ')} fits --only "${words}". It has: ${names}.`);
}

/** Lists what could not be read for certain, with the tools that share a doubt. */
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
    `The subcommands of ${name} were not asked with --help: it is a script, and one that does not know --help would do its work. What its own help says of them was taken. To ask one that knows it: pegboard import cli ${name} ${commands[0]?.name ?? ''}`,
  ];
}

/** Refuses a subcommand that is not there: many programs answer for it with their own page. */
async function checkSubcommand(command: readonly string[], read: Read, ask: Ask): Promise<void> {
  const last = command.at(-1) ?? '';
  if (command.length < 2 || last.startsWith('-')) return;
  const parent = await read(command.slice(0, -1)).catch(() => undefined);
  const names = parent?.commands.map(({ name }) => name) ?? [];
  if (names.length < 2 || names.includes(last)) return;
  // git tells of an alias when it is asked with --help, and runs it with any other word.
  const { stdout, stderr } = await ask([...command, '--help']);
  const alias = /^.*\bis aliased to\b.*$/m.exec(`${stdout}\n${stderr}`)?.[0];
  if (alias !== undefined) {
    throw new ToolError({ code: 'invalid_arguments', message: `${alias}. Import the command that it stands for.` });
  }
  const page = await read(command);
  if (page.commands.map(({ name }) => name).join(' ') !== names.join(' ')) return;
  const message = `${command.slice(0, -1).join(' ')} has no subcommand "${last}". It has: ${names.join(', ')}.`;
  throw new ToolError({ code: 'not_found', message });
}

function noteGlobals(command: readonly string[], { left }: GlobalOptions, made: readonly MadeCliTool[]): string[] {
  const had = new Set(made.flatMap(({ page }) => page.options.map(({ flags: [flag = ''] }) => flag)));
  const flags = left.map(({ flags: [flag = ''] }) => flag).filter((flag) => !had.has(flag));
  if (flags.length === 0) return [];
  const name = flags[0]?.replace(/^-+/, '');
  return [
    `Options of ${command[0]} for all subcommands that the tools leave out: ${named(flags)}. To have one: pegboard import cli ${command.join(' ')} --global ${name}`,
  ];
}

/** Lists the variables, for a person to decide on: they may hold logins. */
function noteVariables(tools: readonly CliToolData[]): string[] {
  const all = [...new Set(tools.flatMap(({ env_pass: names = [] }) => names))];
  if (all.length === 0) return [];
  return [
    `Variables that the commands see where they are set, besides PATH, HOME, LANG and where certificates are: ${all.join(', ')}. Remove from env_pass what they should not have.`,
  ];
}

/** Options without which a person may miss what a command can do. */
const ASKING: ReadonlySet<string> = new Set(['--interactive', '--edit', '--web']);

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
  if (tools.size === 0) return [];
  const told = [...tools].map(([flag, [first = '', ...rest]]) => {
    return `${flag} of ${first}${rest.length === 0 ? '' : ` and ${rest.length} more`}`;
  });
  return [`${why}: ${named(told)}.`];
}

/** The first few of many. */
function named(words: readonly string[]): string {
  const rest = words.length - MAX_NAMED;
  return `${words.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A tool whose command always has the flags that keep it quiet, where its page knows them; errors are still told. */
function keepQuiet(tool: CliToolData, { command, options }: CommandPage): CliToolData {
  const [program = ''] = command;
  const flags = knownOf(program, 'always') ?? [];
  const known = new Set(options.flatMap((option) => option.flags));
  if (flags.length === 0 || command.length > 1 || !flags.every((flag) => known.has(flag))) return tool;
  return { ...tool, command: toCommandForm([...command, ...flags]) };
}
