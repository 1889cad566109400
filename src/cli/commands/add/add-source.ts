import type { SectionChange } from '../../../load/yaml/edit-section.ts';
import type { CliContext } from '../../cli-context.ts';

/** The board that something is added to. */
export interface AddTarget {
  /** The folder of its file. */
  readonly folder: string;
  /** Its file, as people would write it. */
  readonly shown: string;
  /** Whether files that a person changed are replaced. */
  readonly replace: boolean;
  /** How a command is asked about its subcommands. */
  readonly command: AskedCommand;
  /** What the same command adds before. */
  readonly before: readonly AddPlan[];
}

/** How a command is asked about its subcommands. */
interface AskedCommand {
  /** The subcommands to take; all where there are none. */
  readonly only: readonly string[];
  /** How many subcommands are asked at most. Default: 300 */
  readonly limit?: number | undefined;
  /** Milliseconds after which no more are asked. Default: 2 minutes */
  readonly timeLimit?: number | undefined;
}

/** What a source wants to write. Nothing of it is written before every source has said what it wants. */
export interface AddPlan {
  /** What was found, in a sentence: `pack git: 14 tools (9 read, 5 write)`. */
  readonly summary: string;
  /** Files to write, relative to the folder of the board. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What changes in the board's file. An import of a file that the board already imports is left out. */
  readonly changes: readonly SectionChange[];
  /** What the person should know or do, a sentence each. */
  readonly notes: readonly string[];
  /** Whether its tools do not say which of their arguments are paths. Default: no. */
  readonly isSilentAboutPaths?: true;
  /** Whether a person is asked before it is written: it was found by looking, not named. Default: no. */
  readonly asks?: true;
}

/** Something that `pegboard add` understands. */
export interface AddSource {
  /** How it is written: `pack:NAME`. */
  readonly form: string;
  /** What it is, for the help. */
  readonly summary: string;
  /** Whether `--only` chooses among what it has. Default: no. */
  readonly hasParts?: true;
  /** Whether a word of the command line is one. Looks at the word alone, or at files. */
  matches(word: string, context: CliContext): boolean;
  /** Looks, and says what to write. */
  plan(word: string, target: AddTarget, context: CliContext): Promise<AddPlan>;
}
