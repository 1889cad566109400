import type { EntryPath, ToolEntry } from '../kinds/kind.ts';
import type { Dialect } from './dialects/detect-dialect.ts';
import type { Diagnostic, FilePlace } from './diagnostics/diagnostic.ts';

/** What is done about a tool that is not what `pegboard.lock` says. */
export type LockMode = 'deny' | 'warn' | 'approve';

/** What a config file says, in the same words for every dialect. */
export interface LoadedFile {
  readonly file: string;
  readonly dialect: Dialect;
  /** Whether it is no file: its sections are given in code. */
  readonly isInline: boolean;
  /** The source of its tools: what `source`, and CLImax's `cli`, filter by. */
  readonly name: string;
  readonly description: string;
  readonly category: string | undefined;
  readonly tags: readonly string[];
  /** The tools without errors in their shape. */
  readonly entries: readonly ToolEntry[];
  /** The parts that are off, as variables that they need are not set. */
  readonly off: readonly OffPart[];
  /** Entries in the places of tools with errors, so that rules that name them find them; never on a board. */
  readonly faultyEntries: readonly ToolEntry[];
  /** Files, globs and folders this one asks for, as written. */
  readonly imports: readonly { readonly pattern: string; readonly path: readonly (string | number)[] }[];
  /** Plugins this one asks for, as written, and the folder that relative ones start from. */
  readonly plugins: readonly { readonly name: string; readonly folder: string; readonly path: EntryPath }[];
  /** The variables whose values are secrets of elsewhere, each with where they are from: `command pass show db`. */
  readonly secretSources: readonly (readonly [variable: string, source: string])[];
  /** All its top-level keys, checked against their schemas. */
  readonly sections: Readonly<Record<string, unknown>>;
  readonly policy: Readonly<Record<string, unknown>> | undefined;
  readonly rag: Readonly<Record<string, unknown>> | undefined;
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** Folders with skills, as written. */
  readonly skills: readonly { readonly path: string; readonly scripts: boolean }[];
  readonly lock: LockMode | undefined;
  readonly serve: Readonly<Record<string, unknown>>;
  readonly discovery: Readonly<Record<string, unknown>>;
  readonly processes: Readonly<Record<string, unknown>>;
  /** The folder for what the board keeps, as written. */
  readonly data: string | undefined;
  /** The folder in which commands run, as written. */
  readonly workingDir: string | undefined;
  /** The database for what the board keeps. */
  readonly store: string | undefined;
  /** Absolute paths of files whose content is part of it: `${file:…}`, and files of secrets. They may be missing. */
  readonly contentFiles: readonly string[];
  /** Names of environment variables that it cannot be loaded without. */
  readonly needs: readonly string[];
  /** Values that must never be shown; a function, so that printing the file does not show them. */
  secrets(): readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** True where a text at a path, below it or above it names a secret that was not resolved, as the file is read to look. */
  isUnresolved(path: readonly (string | number)[]): boolean;
  /** What may be shown of it: entries hold values that may be secrets. */
  toJSON(): Record<string, unknown>;
  /** Where a value of the file stands. */
  locate(path: readonly (string | number)[]): FilePlace | undefined;
}

/** A part of a config file that is off, as variables that it needs are not set. The rest of the board works without it. */
export interface OffPart {
  readonly type: 'tool' | 'server' | 'agent' | 'collection' | 'store' | 'knowledge';
  /** Its name, as messages have it. */
  readonly name: string;
  readonly path: readonly (string | number)[];
  /** The variables that are not set, and secret files that cannot be read. */
  readonly variables: readonly string[];
  /** For a server: what stands before the names of its tools. */
  readonly prefix?: string | undefined;
}
