import type { SectionChange } from '../../../load/yaml/edit-section.ts';
import type { CliContext } from '../../shared/cli-context.ts';

export interface AddTarget {
  /** The folder of the board file. */
  readonly folder: string;
  /** The path of the board file as shown to people. */
  readonly shown: string;
  /** Replaces files that a person has changed. */
  readonly replace: boolean;
  readonly command: AskedCommand;
  /** Plans that precede this one in the same command. */
  readonly before: readonly AddPlan[];
}

/** Limits for reading a command's subcommands. */
interface AskedCommand {
  /** The subcommands to import. Default: all */
  readonly only: readonly string[];
  /** The largest number of subcommands to read. Default: 300 */
  readonly limit?: number | undefined;
  /** Milliseconds after which no further subcommand is read. Default: 2 minutes */
  readonly timeLimit?: number | undefined;
}

/** The files and changes that a source proposes. They are written only after all sources have made their plans. */
export interface AddPlan {
  /** A short description: `pack git: 14 tools (9 read, 5 write)`. */
  readonly summary: string;
  /** Files to write, relative to the folder of the board. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Changes to the board file. Files that the board already imports are not imported again. */
  readonly changes: readonly SectionChange[];
  /** Advice for the person, a sentence each. */
  readonly notes: readonly string[];
  /** True when its tools do not declare which arguments are paths. Default: false */
  readonly isSilentAboutPaths?: true;
  /** True when a person must confirm the plan: it was found by inspection, not named. Default: false */
  readonly asks?: true;
}

/** A source that `pegboard add` accepts. */
export interface AddSource {
  /** The syntax on the command line: `pack:NAME`. */
  readonly form: string;
  /** A short description for the help. */
  readonly summary: string;
  /** True when `--only` selects parts of it. Default: false */
  readonly hasParts?: true;
  /** Returns true when a word of the command line names this source. */
  matches(word: string, context: CliContext): boolean;
  /** Inspects the source and proposes what to write. */
  plan(word: string, target: AddTarget, context: CliContext): Promise<AddPlan>;
}
