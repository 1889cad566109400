import type { Ask } from './ask-command.ts';
import { type CliToolData, type MadeCliTool, toCliTool } from './to-cli-tool.ts';
import { readPage } from './read-page.ts';
import { type Walk, walkCommands, type WalkOptions } from './walk-commands.ts';

/** The tools of a command, and what a person should know about them. */
export interface CliImport {
  readonly tools: readonly CliToolData[];
  /** The word from which the risk of a tool was guessed, by the tool's name. */
  readonly guesses: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/** How a command is imported. */
export interface ImportCliOptions extends WalkOptions {
  /** Folders with manual pages. Default: none */
  readonly manual?: readonly string[] | undefined;
}

/** Makes tools of a command from what it says about itself: one for each subcommand that does something. */
export async function importCli(
  command: readonly string[],
  ask: Ask,
  options: ImportCliOptions = {},
): Promise<CliImport> {
  const walk = await walkCommands(command, (words) => readPage(words, ask, options.manual), options);
  const made = walk.leaves.map(({ page, about }) => toCliTool(page, about));
  return {
    tools: made.map(({ tool }) => tool),
    guesses: new Map(made.flatMap(({ tool, guess }) => (guess === undefined ? [] : [[tool.name, guess.from]]))),
    notes: toNotes(made, walk),
  };
}

const MAX_NAMED = 8;

function toNotes(made: readonly MadeCliTool[], { skipped, failed }: Walk): string[] {
  const compound = made.flatMap((item) => item.compound);
  return [
    ...(compound.length === 0 ? [] : [`Left out, for they take several values at once: ${named(compound)}.`]),
    ...(skipped.length === 0
      ? []
      : [`Not asked, for there were too many (--limit) or the time was over: ${named(skipped)}.`]),
    ...(failed.length === 0 ? [] : [`Did not answer: ${named(failed)}.`]),
  ];
}

/** The first few of many. */
function named(words: readonly string[]): string {
  const rest = words.length - MAX_NAMED;
  return `${words.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
