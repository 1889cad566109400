import { ToolError } from '../../tool/tool-error.ts';
import { knownOf, matches } from '../packs/knowledge.ts';
import type { Ask } from './ask-command.ts';
import type { CommandPage, PageExample, PageOption } from './command-page.ts';
import { correctPage, expandPage } from './correct-page.ts';
import { exampleTokens } from './examples/read-line.ts';
import { allowReplacements, describeWords, learnFromExamples, nameResources } from './examples/learn-from-examples.ts';
import { type LineBuilder, toToolExamples, toUtterances } from './examples/to-tool-examples.ts';
import { chooseGlobals, globalsOf, nameGlobals, withGlobals } from './global-options.ts';
import { findSharedVariables, guessVariables } from './guess/guess-variables.ts';
import { needsScreen } from './guess/guess-running.ts';
import { importNotes, noteMissing } from './import-notes.ts';
import { mergePages } from './merge-pages.ts';
import { type PageFolders, readPage } from './read-page.ts';
import { dropAliases, walkCommands, type WalkedPage, type WalkOptions } from './walk-commands.ts';
import type { CliArgumentData } from './to-argument.ts';
import { type CliToolData, type MadeCliTool, toCliTool, toCommandForm } from './to-cli-tool.ts';

export interface ImportCliOptions extends WalkOptions, PageFolders {
  /** Global options that each tool gets in addition to the chosen ones; `all` or `none`. */
  readonly globals?: readonly string[] | undefined;
  /** Variables that the program needs in addition to those on its pages. Default: none. */
  readonly variables?: readonly string[] | undefined;
  /** User requests for a command, by its words: `git push`. Default: none. */
  readonly utterances?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Builds command lines for calls, to keep the examples of pages that a tool reproduces. Default: tools have no examples. */
  readonly buildLine?: LineBuilder | undefined;
}

/** The tools of a command, and notes for the user. */
export interface CliImport {
  readonly tools: readonly CliToolData[];
  /** The word that each tool's risk was guessed from, by the tool's name. */
  readonly guesses: ReadonlyMap<string, string>;
  /** The same for the risks of arguments, by the names of the tool and the argument. */
  readonly argumentGuesses: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly notes: readonly string[];
  readonly pages: number;
  /** The number of examples on the tools' pages and those above; the tools have those that they reproduce. */
  readonly shownExamples: number;
}

/** Creates tools for a command from its own documentation: one for each subcommand that does something. */
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
  // A command named by the user is always included.
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
    const known = describeWords(allowReplacements(learned));
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
    notes: importNotes({ command, walk, made, tools, globals, forPeople, dropped }),
    pages: known.size,
    shownExamples: made.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Finds user requests for a command under any of its names. */
function utterancesOf({ command, aliases }: CommandPage, known: ImportCliOptions['utterances']): readonly string[] {
  const [program = '', ...words] = command;
  const names = [[program.split('/').at(-1) ?? '', ...words], ...aliases].map((name) => name.join(' '));
  return [...new Set(names.flatMap((name) => known?.get(name) ?? []))];
}

type Read = (words: readonly string[]) => Promise<CommandPage>;

/** Returns the global options of the program, even if the import starts at a subcommand. */
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

/** Adds the options of other commands that a page says it accepts. */
async function withBorrowed(page: CommandPage, read: Read): Promise<CommandPage> {
  let whole = page;
  for (const words of page.borrows) {
    if (words.join(' ') === page.command.join(' ')) continue;
    try {
      const { options } = await read(words);
      whole = mergePages(whole, { ...whole, options: options.filter(({ isRequired }) => !isRequired), examples: [] });
    } catch {
      // A missing page is no error.
    }
  }
  return whole;
}

/** Collects examples of a command from the pages above it: many programs show those of all subcommands on their first page. */
async function examplesAbove(page: CommandPage, read: Read): Promise<readonly PageExample[]> {
  const { command } = page;
  const found: PageExample[] = [];
  for (let words = command.length - 1; words > 0; words--) {
    try {
      const { examples } = await read(command.slice(0, words));
      found.push(...examples.filter(({ line }) => exampleTokens(page, line) !== undefined));
    } catch {
      // A missing page is no error.
    }
  }
  return found;
}

/** Throws for an unknown subcommand: many programs print their own page for it. */
async function checkSubcommand(command: readonly string[], read: Read, ask: Ask): Promise<void> {
  const last = command.at(-1) ?? '';
  if (command.length < 2 || last.startsWith('-')) return;
  const parent = await read(command.slice(0, -1)).catch(() => undefined);
  const names = parent?.commands.map(({ name }) => name) ?? [];
  if (names.length < 2 || names.includes(last)) return;
  // git describes an alias for --help, but runs it with any other word.
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

/** Adds the flags that suppress progress output, if the page has them; errors are still printed. */
function keepQuiet(tool: CliToolData, { command, options }: CommandPage): CliToolData {
  const [program = ''] = command;
  const flags = knownOf(program, 'always') ?? [];
  const known = new Set(options.flatMap((option) => option.flags));
  if (flags.length === 0 || command.length > 1 || !flags.every((flag) => known.has(flag))) return tool;
  return { ...tool, command: toCommandForm([...command, ...flags]) };
}

/** Without both, order makes no difference. */
const CONTRARY = ['--include', '--exclude'];

/**
 * Joins the flags that include and exclude files into one list: aws, rsync, grep and rclone evaluate them in order. Not every
 * client, model and database keeps the order of an object's keys, and an object could not express `exclude, include, exclude`.
 */
function orderFilters(made: MadeCliTool): MadeCliTool {
  const { tool, options } = made;
  const args = tool.args ?? [];
  const filters = args.filter((arg) => isFilter(arg, options.get(arg.name)));
  const flags = new Set(filters.map(({ name }) => options.get(name)?.flags[0]));
  const groups = new Set([...(tool.exclusive ?? []), ...(tool.one_of ?? [])].flat());
  if (!CONTRARY.every((flag) => flags.has(flag)) || filters.some(({ name }) => groups.has(name))) return made;
  const taken = new Set(args.map(({ name }) => name));
  const name = ['filters', 'filter_list', 'file_filters'].find((free) => !taken.has(free)) ?? 'filter_sequence';
  const list: CliArgumentData = {
    name,
    description: 'The files to include, in order: [{"exclude": "*"}, {"include": "*.txt"}]',
    type: 'array',
    // Each element is one value of one flag. aws documents `--include <value> [<value>…]` but takes one.
    sequence: filters.map(({ type: _type, spread: _spread, ...flag }) => flag),
  };
  const first = args.findIndex((arg) => filters.includes(arg));
  const kept = args.map((arg, index) => (index === first ? list : arg)).filter((arg) => !filters.includes(arg));
  const moved = new Set(filters.map((filter) => filter.name));
  const argumentGuesses = new Map(
    [...made.argumentGuesses].map(([arg, from]) => [moved.has(arg) ? `${name}.${arg}` : arg, from]),
  );
  return { ...made, argumentGuesses, tool: { ...tool, args: kept } };
}

function isFilter({ enum: values, type }: CliArgumentData, option: PageOption | undefined): boolean {
  const isOne = type === undefined || type === 'array';
  return isOne && values === undefined && option?.value !== undefined && matches('filter_flag', option.flags[0] ?? '');
}
