import { ToolError } from '../../tool/tool-error.ts';
import { knownOf } from '../packs/knowledge.ts';
import { type CommandPage, emptyPage, type PageCommand } from './command-page.ts';
import { parseUsage } from './help/parse-usage.ts';
import { mergePages } from './merge-pages.ts';

/** Limits of a walk over subcommands. */
export interface WalkOptions {
  /** Levels of subcommands below the first command. Default: all. */
  readonly depth?: number | undefined;
  /** The most pages to read. Default: 300. */
  readonly limit?: number | undefined;
  /** Pages to read at once. Default: 6. */
  readonly parallel?: number | undefined;
  /** Milliseconds for the whole walk. Default: 120,000. */
  readonly timeLimit?: number | undefined;
  /** Subcommands to include, as words below the first command; `*` matches any characters: `container ls`, `volume *`. */
  readonly only?: readonly string[] | undefined;
  /** True for one of the user's own scripts: its subcommands may not support --help and do their work instead. */
  readonly isScript?: boolean | undefined;
  readonly now?: (() => number) | undefined;
  /** Ends the walk: unread pages are skipped. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of pages read and the number known. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A page, with its description in its parent's list. */
export interface WalkedPage {
  readonly page: CommandPage;
  readonly about: string;
  /** The purpose in the heading above it. */
  readonly group?: string | undefined;
  readonly isCommon?: boolean | undefined;
}

export interface Walk {
  readonly root: CommandPage;
  /** The pages of commands that do something themselves, in the order of their lists. */
  readonly leaves: readonly WalkedPage[];
  /** Subcommands that were not read: there were too many, or time ran out. */
  readonly skipped: readonly string[];
  /** Subcommands that did not answer, each with the reason. */
  readonly failed: readonly string[];
  /** True when subcommands were not read because they may not support --help. */
  readonly isListOnly: boolean;
  /** Patterns of `only` that match no subcommand. */
  readonly missing: readonly string[];
}

/** A subcommand to read, with its entry in its parent's list. */
interface Job extends PageCommand {
  readonly command: readonly string[];
  readonly parent: CommandPage;
  readonly depth: number;
}

const LIMIT = 300;

/** Creates the error for more commands than can be read on the first level: the user must choose. */
function refuseAll({ command, commands }: CommandPage): ToolError {
  const name = command.join(' ');
  const some = commands.slice(0, 8).map((one) => one.name);
  const choice = knownOf(command[0] ?? '', 'example') ?? some[0] ?? '';
  const message = `${name} has ${commands.length} subcommands, too many to read: ${some.join(', ')}, … Choose some, such as --only ${choice}.`;
  return new ToolError({ code: 'invalid_arguments', message });
}

/** Reads the pages of a command and of its subcommands, several at once. */
export async function walkCommands(
  command: readonly string[],
  read: (command: readonly string[]) => Promise<CommandPage>,
  options: WalkOptions = {},
): Promise<Walk> {
  const { depth = Infinity, limit = LIMIT, parallel = 6, timeLimit = 120_000, now = Date.now, onProgress } = options;
  const only = (options.only ?? []).map((pattern) => pattern.trim().split(/\s+/));
  const root = await read(command);
  if (options.limit === undefined && only.length === 0 && root.commands.length > LIMIT) throw refuseAll(root);
  const isListOnly = options.isScript === true && root.parser === undefined && root.hasCommandHelp !== true;
  const found = new Map<string, WalkedPage>();
  const skipped: string[] = [];
  const failed: string[] = [];
  const until = now() + timeLimit;
  let asked = 0;
  const queue: Job[] = [];
  const push = (page: CommandPage, level: number, above?: string): void => {
    if (level >= depth) return;
    for (const listed of page.commands) {
      const words = [...page.command, listed.name];
      if (!mayContain(words.slice(command.length), only)) continue;
      queue.push({ ...listed, group: listed.group ?? above, command: words, parent: page, depth: level + 1 });
    }
  };
  push(root, 0);
  const work = async (job: Job): Promise<void> => {
    const key = job.command.join(' ');
    try {
      const own = isListOnly
        ? { ...completeFromParent(emptyPage(job.command), job), doubts: [] }
        : completeFromParent(await read(job.command), job);
      const page = withAliases({ ...own, details: joinTexts([job.details, own.details]) }, job);
      found.set(key, { page, about: job.description, group: job.group, isCommon: job.isCommon ?? false });
      push(page, job.depth, job.group);
    } catch (error) {
      failed.push(`${key} (${error instanceof Error ? error.message : String(error)})`);
    }
    onProgress?.(found.size + failed.length, found.size + failed.length + queue.length);
  };
  const running = new Set<Promise<void>>();
  while (queue.length > 0 || running.size > 0) {
    const job = running.size < parallel ? queue.shift() : undefined;
    if (job === undefined) {
      await Promise.race(running);
      continue;
    }
    if (asked >= limit || now() > until || options.signal?.aborted === true) {
      skipped.push(job.command.join(' '));
      continue;
    }
    asked++;
    const task: Promise<void> = work(job).finally(() => running.delete(task));
    running.add(task);
  }
  const all = root.commands.length === 0 || depth === 0 ? leavesOf({ page: root, about: '' }) : inOrder(root, found);
  const wordsOf = ({ page }: WalkedPage): readonly string[] => page.command.slice(command.length);
  return {
    root,
    leaves: all.filter((leaf) => isWanted(wordsOf(leaf), only)),
    skipped,
    failed,
    isListOnly: isListOnly && root.commands.length > 0,
    missing: only
      .filter((pattern) => !all.some((leaf) => isWanted(wordsOf(leaf), [pattern])))
      .filter(
        (pattern) =>
          ![...skipped, ...failed].some((name) => mayContain(name.split(' ').slice(command.length), [pattern])),
      )
      .map((pattern) => pattern.join(' ')),
  };
}

/** Joins texts, each ended like a sentence. */
function joinTexts(texts: readonly (string | undefined)[]): string {
  return texts.flatMap((text) => (text ? [text.replace(/(?<=[\w)])$/, '.')] : [])).join(' ');
}

/** Adds the aliases of its parent's list to a page. */
function withAliases(page: CommandPage, { command, aliases = [] }: Job): CommandPage {
  const others = aliases.map((name) => [...command.slice(0, -1), name]);
  const known = new Set(page.aliases.map((words) => words.join(' ')));
  return { ...page, aliases: [...page.aliases, ...others.filter((words) => !known.has(words.join(' ')))] };
}

const SILENT = 'its arguments, because only a list of subcommands mentions it';

/** Completes the page of a subcommand from its parent's page. */
function completeFromParent(
  page: CommandPage,
  { command, description: about, details, usage = '', parent }: Job,
): CommandPage {
  // A subcommand that prints its parent's page lists itself: that is no subcommand below it, and the list has its words.
  const names = page.commands.map(({ name }) => name);
  const isSame = names.length > 1 && names.join(' ') === parent.commands.map(({ name }) => name).join(' ');
  const isEcho = names.includes(command.at(-1) ?? '') && (names.length > 3 || isSame);
  if (isEcho) {
    // If the list does not have them, the words of the shared page may be its own: `pkg...` of apt-get.
    const shared = page.positionals.map((word) => ({ ...word, isRequired: false }));
    const { positionals, oneOf } = usage === '' ? { positionals: shared, oneOf: [] } : parseUsage(usage);
    const own = { commands: [], summary: about, details, positionals, oneOf, exclusive: [], examples: [] };
    return { ...page, ...own, options: parent.options, isFlagsFirst: true };
  }
  const isIt = (form: CommandPage): boolean => form.command.join(' ') === command.join(' ');
  const form = parent.forms.find(isIt);
  // The same for a subcommand that prints all forms of its parent, such as `git submodule add`.
  const echo = page.forms.find((one) => one.command.join(' ') === [...command, command.at(-1)].join(' '));
  if (echo !== undefined) return { ...(form ?? { ...echo, command }), forms: [] };
  // Completions say less than a form in the parent's help.
  if (page.sources.some((source) => source !== 'completion')) return page;
  const isSilent = form === undefined && usage === '' && page.sources.length === 0;
  const doubts = isSilent ? { doubts: [SILENT] } : {};
  const known = form ?? { ...page, ...parseUsage(usage), ...doubts, sources: parent.sources };
  const flags = new Set(known.options.flatMap((option) => option.flags));
  const described = parent.options.filter((option) => option.flags.some((flag) => flags.has(flag)));
  const complete = mergePages(known, { ...emptyPage(command), summary: about, options: described });
  return page.sources.length === 0 ? complete : mergePages(complete, page);
}

/** Returns the pages of commands that do something, in the order of their parents' lists. */
function inOrder(parent: CommandPage, found: ReadonlyMap<string, WalkedPage>): WalkedPage[] {
  return parent.commands.flatMap(({ name }: PageCommand) => {
    const walked = found.get([...parent.command, name].join(' '));
    if (walked === undefined) return [];
    const { page } = walked;
    const acts = page.commands.length === 0 || actsItself(page);
    return [...(acts ? leavesOf(walked) : []), ...unlisted(walked), ...inOrder(page, found)];
  });
}

/** `kubectl create -f FILENAME`: has subcommands and also does something itself. */
function actsItself({ command, commands, positionals, options, oneOf, examples, forms }: CommandPage): boolean {
  if (forms.some((form) => form.command.length === command.length)) return true;
  // `git hook run <hook-name>`, the only usage of `git hook`, belongs to its subcommand.
  const [first] = positionals;
  if (first?.isRequired === true && commands.some(({ name }) => name === first.name)) return false;
  const isNeeding = positionals.length > 0 || oneOf.length > 0 || options.some(({ isRequired }) => isRequired);
  return isNeeding || examples.some(({ line }) => line.trim() === command.join(' '));
}

/** Returns forms that are in the usage but in no list: `git submodule set-branch`, which the manual omits. */
function unlisted({ page: { command, commands, forms }, about, group }: WalkedPage): WalkedPage[] {
  if (commands.length === 0) return [];
  const names = new Set(commands.map(({ name }) => name));
  return forms
    .filter((form) => form.command.length > command.length && !names.has(form.command[command.length] ?? ''))
    .map((form) => ({ page: form, about: aboutForm(form, { command }, about), group }));
}

/** `good: Use binary search …`: the description of all forms, with the words of this one. */
function aboutForm(form: CommandPage, { command }: Pick<CommandPage, 'command'>, about: string): string {
  const words = form.command.slice(command.length).join(' ');
  return words === '' || about === '' ? about : `${words}: ${about}`;
}

function leavesOf({ page, about, group, isCommon }: WalkedPage): WalkedPage[] {
  // If its subcommands have pages, only the form without a subcommand is left.
  const isOnlyItself = page.commands.length > 0;
  const forms = isOnlyItself ? page.forms.filter(({ command }) => command.length === page.command.length) : page.forms;
  if (forms.length === 0) return [{ page, about, group, isCommon }];
  return forms.map((form) => ({ page: form, about: aboutForm(form, page, about), group }));
}

/** True when a command was requested: all are if nothing was. */
function isWanted(words: readonly string[], only: readonly (readonly string[])[]): boolean {
  // A word for a group includes everything below it.
  return only.length === 0 || only.some((pattern) => pattern.length <= words.length && matches(words, pattern));
}

/** True when a requested command can be at or below these words. */
function mayContain(words: readonly string[], only: readonly (readonly string[])[]): boolean {
  return only.length === 0 || only.some((pattern) => matches(words, pattern));
}

function matches(words: readonly string[], pattern: readonly string[]): boolean {
  return pattern.slice(0, words.length).every((part, index) => matchesWord(words[index] ?? '', part));
}

function matchesWord(word: string, pattern: string): boolean {
  const source = pattern.replaceAll(/[.+^${}()|[\]\\?]/g, String.raw`\$&`).replaceAll(/\*+/g, '.*');
  return new RegExp(`^${source}$`).test(word);
}

/** Pages without duplicates by alias, and the dropped names. */
interface Distinct {
  readonly pages: readonly WalkedPage[];
  /** `docker container ls = docker ps`, for people. */
  readonly dropped: readonly string[];
}

/** Keeps one page for each command with aliases: the one with the fewest words, as people write it. */
export function dropAliases(pages: readonly WalkedPage[]): Distinct {
  const byName = new Map(pages.map((walked) => [walked.page.command.join(' '), walked]));
  const kept = new Map<string, string>();
  for (const { page } of pages) {
    const own = page.command.join(' ');
    const names = [own, ...page.aliases.map((words) => words.join(' '))].filter((name) => byName.has(name));
    const best = names.toSorted((a, b) => a.split(' ').length - b.split(' ').length || a.length - b.length)[0] ?? own;
    const first = page.aliasOf?.join(' ') ?? own;
    if (first !== own && byName.has(first)) kept.set(own, first);
    else if (best !== own && isSame(byName.get(best), own)) kept.set(own, best);
  }
  return {
    pages: pages
      .filter(({ page }) => !kept.has(page.command.join(' ')))
      .map((walked) => ({ ...walked, page: withNames(walked.page, kept) })),
    dropped: [...kept].map(([name, best]) => `${name} = ${best}`),
  };
}

/** Adds all names of a page, including those of other pages for it. */
function withNames(page: CommandPage, kept: ReadonlyMap<string, string>): CommandPage {
  const own = page.command.join(' ');
  const others = [...kept].filter(([, best]) => best === own).map(([name]) => name);
  const names = new Set([...page.aliases.map((words) => words.join(' ')), ...others]);
  return { ...page, aliases: [...names].map((name) => name.split(' ')) };
}

/** True when the other page also names this one. */
function isSame(other: WalkedPage | undefined, name: string): boolean {
  return other?.page.aliases.some((words) => words.join(' ') === name) === true;
}
