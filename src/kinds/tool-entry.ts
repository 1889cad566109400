import type { CommandLimits } from '../platform/process/command-limits.ts';
import type { ToolMetadata } from '../tool/tool-metadata.ts';
import type { JsonSchema } from '../tool/json.ts';

/** What every kind of tool shares once its file was read, whatever dialect it was written in. */
interface EntryBase {
  readonly metadata: ToolMetadata;
  /** Where it was written, for messages. */
  readonly file: string;
  readonly path: readonly (string | number)[];
  /**
   * The arguments that are paths, besides those that the kind can tell; dotted for nested ones. A kind or dialect that cannot
   * tell has none when its entry says nothing.
   */
  readonly paths?: readonly string[] | undefined;
}

/** One argument of a command line. */
export interface CliArgument {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  readonly enum: readonly (string | number)[] | undefined;
  readonly pattern: string | undefined;
  /** The flag as written; `undefined` for `--name-with-hyphens`. */
  readonly flag: string | undefined;
  readonly style: 'joined' | 'separate' | undefined;
  readonly place: 'flag' | 'positional' | 'cwd' | 'stdin';
  readonly isPath: boolean;
}

/** How commands run. */
export interface RunSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly envPass: readonly string[];
  readonly workingDir: string | undefined;
  readonly sandbox: SandboxSettings | undefined;
  readonly limits?: CommandLimits | undefined;
  readonly output: 'text' | 'json';
  readonly exitCodes: Readonly<Record<string, string>>;
}

/** A sandbox around a command. */
export interface SandboxSettings {
  readonly network: boolean;
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** What the person who approves a call is asked. */
export interface Confirmation {
  /** The question, with `{argument}` and `{variable}` where values belong. */
  readonly message: string;
  /** Commands whose output the variables stand for. */
  readonly resolve: Readonly<Record<string, { readonly argv: readonly string[]; readonly timeout: number }>>;
}

/** A command line with typed arguments. */
export interface CliEntry extends EntryBase {
  readonly type: 'cli';
  readonly confirmation: Confirmation | undefined;
  readonly command: readonly string[];
  readonly args: readonly CliArgument[];
  /** Fixed elements at the very end. */
  readonly trailing: readonly string[];
  readonly separator: '--' | '--end-of-options' | './' | undefined;
  readonly running: RunSettings;
}

/** A command of a `run` tool, with templates. */
export interface RunCommand {
  readonly cmd: string;
  readonly args: readonly { readonly text: string; readonly when: string | undefined }[];
  readonly workingDir: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly when: string | undefined;
}

/** Commands with templates, one after the other. */
export interface RunEntry extends EntryBase {
  readonly type: 'run';
  readonly schema: JsonSchema;
  readonly commands: readonly RunCommand[];
  readonly running: RunSettings;
}

/** A request with templates. */
export interface HttpRequestEntry {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly form: Readonly<Record<string, string>> | undefined;
}

/** Requests with templates. */
export interface HttpEntry extends EntryBase {
  readonly type: 'http';
  readonly schema: JsonSchema;
  readonly requests: readonly HttpRequestEntry[];
  readonly redirects: 'same-origin' | 'any' | 'none';
  readonly allowHosts: readonly string[];
}

/** A knowledge base. */
export interface RagEntry extends EntryBase {
  readonly type: 'rag';
  readonly collection: string;
  readonly operations: readonly ('search' | 'store')[];
}

/** Tools written as code. */
export interface ScriptEntry extends EntryBase {
  readonly type: 'script';
  readonly script: string;
}

/** One tool of another MCP server, under a name of its own. */
export interface McpEntry extends EntryBase {
  readonly type: 'mcp';
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
  /** What the entry says itself; the server says the rest. */
  readonly given: Omit<ToolMetadata, 'description'> & { readonly description?: string };
}

/** A tool that is off, since something that it needs is missing. It is not offered, and a call says what is missing. */
export interface BrokenEntry extends EntryBase {
  readonly type: 'broken';
  /** What it would be. */
  readonly kind: string;
  /** Why it is off and what to do, as a sentence in lower case. */
  readonly reason: string;
}

/** A tool as the loader hands it to its kind. */
export type ToolEntry = CliEntry | RunEntry | HttpEntry | RagEntry | ScriptEntry | McpEntry | BrokenEntry;
