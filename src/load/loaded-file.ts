import type { EntryPath, ToolEntry } from '../kinds/kind.ts';
import type { Dialect } from './dialects/detect-dialect.ts';
import type { Diagnostic, FilePlace } from './diagnostics/diagnostic.ts';

/** The action for a tool that differs from `pegboard.lock`. */
export type LockMode = 'deny' | 'warn' | 'approve';

/** A config file in the same form for every dialect. */
export interface LoadedFile {
  readonly file: string;
  readonly dialect: Dialect;
  /** True for sections given in code, without a file. */
  readonly isInline: boolean;
  /** The source of its tools, which `source` and CLImax's `cli` filter by. */
  readonly name: string;
  readonly description: string;
  readonly category: string | undefined;
  readonly tags: readonly string[];
  /** The tools without structural errors. */
  readonly entries: readonly ToolEntry[];
  /** The parts that are disabled because variables they need are not set. */
  readonly off: readonly OffPart[];
  /** Placeholders for tools with errors, so that rules can name them. Never on a board. */
  readonly faultyEntries: readonly ToolEntry[];
  /** The files, globs and folders it imports, as written. */
  readonly imports: readonly { readonly pattern: string; readonly path: readonly (string | number)[] }[];
  /** The plugins it names, as written, and the folder that relative ones start from. */
  readonly plugins: readonly { readonly name: string; readonly folder: string; readonly path: EntryPath }[];
  /** The variables with secret values, each with its source: `command pass show db`. */
  readonly secretSources: readonly (readonly [variable: string, source: string])[];
  /** All top-level keys, checked against their schemas. */
  readonly sections: Readonly<Record<string, unknown>>;
  /** The data folder, as written. */
  readonly data: string | undefined;
  /** The folder for commands, as written. */
  readonly workingDir: string | undefined;
  /** The database of the board's store. */
  readonly store: string | undefined;
  /** Absolute paths of files whose content is included: `${file:…}`, and files of secrets. They may be missing. */
  readonly contentFiles: readonly string[];
  /** Names of environment variables that it cannot be loaded without. */
  readonly needs: readonly string[];
  /** Returns the values that must never be shown. A function, so that printing the file does not show them. */
  secrets(): readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** Returns true when a text at, below or above a path contains a secret that was not resolved because the board is opened to look. */
  isUnresolved(path: readonly (string | number)[]): boolean;
  /** Returns the parts that may be shown: entries contain values that may be secret. */
  toJSON(): Record<string, unknown>;
  /** Finds the place of a value in the file. */
  locate(path: readonly (string | number)[]): FilePlace | undefined;
}

/** A part of a config file that is disabled because variables it needs are not set. The rest of the board works without it. */
export interface OffPart {
  readonly type: 'tool' | 'server' | 'agent' | 'collection' | 'store' | 'knowledge';
  /** Its name in messages. */
  readonly name: string;
  readonly path: readonly (string | number)[];
  /** The variables that are not set, and secret files that cannot be read. */
  readonly variables: readonly string[];
  /** For a server: the prefix of its tools' names. */
  readonly prefix?: string | undefined;
}
