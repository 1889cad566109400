import type { CodeTarget } from '../code/code-target.ts';
import type { HttpClient } from '../platform/http/http-client.ts';
import type { ApiClient, ApiTokens } from '../platform/oauth/api-tokens.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { ProcessQueue } from '../platform/process/process-queue.ts';
import type { Spawner } from '../platform/process/spawn/spawner.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { GuardRequest } from '../tool/calls/call-bounds.ts';
import type { JsonSchema } from '../tool/json.ts';
import type { ToolMetadata, ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool, Validation } from '../tool/tool.ts';
import type { ToolPaths } from '../guard/policy/tool-paths.ts';
import type { NamedSecret } from '../guard/secrets/secret-names.ts';
import type { DryStep } from './dry-step.ts';
import type { DoctorFinding } from './doctor-finding.ts';

/** Keys and indexes that lead to a value of a config file. */
export type EntryPath = readonly (string | number)[];

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An entry under `tools` of a config file, as its kind has read it. */
export interface ToolEntry<Settings = unknown> {
  readonly kind: Kind;
  readonly metadata: ToolMetadata;
  /** What the entry says besides the keys that all kinds share. */
  readonly settings: Settings;
  /** The file that has the entry, for messages. */
  readonly file: string;
  /** Where the entry stands in its file. */
  readonly path: EntryPath;
  /** The arguments that the entry says are paths, dotted for nested ones; `undefined` when it says nothing. */
  readonly paths?: readonly string[] | undefined;
  /** @internal What the settings were made of, to tell whether the entry changed: settings may hide what they hold. */
  readonly readFrom?: unknown;
}

/** A fault of an entry that its schema cannot find. */
export interface EntryFault {
  /** Below the entry. */
  readonly path: EntryPath;
  readonly message: string;
  /** A board with errors does not open. Default: error. */
  readonly severity?: 'error' | 'warning' | 'note';
}

/** A part of the board that an entry needs: a collection of `rag`, or a server of `mcpServers`. */
export interface EntryUse {
  readonly type: 'collection' | 'server';
  readonly name: string;
  /** The key that names it, below the entry. */
  readonly path: EntryPath;
}

/** What a kind may use while it reads an entry. */
export interface ReadContext {
  /** The whole entry as it is written, with the keys that all kinds share. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The folder of the file, where its relative paths start. */
  readonly folder: string;
  /** The variables that the file gives to every command. */
  readonly env: Readonly<Record<string, string>>;
  /** @internal The section of the file that the kind names, checked against its schema. */
  readonly section?: Readonly<Record<string, unknown>> | undefined;
  /** Keeps a value out of everything that is shown, if its name says that it is a secret. */
  addSecrets(name: string, value: string): void;
  /** Tells the author about an error; the path is below the entry. */
  addError(path: EntryPath, message: string): void;
}

/** What a kind may use while it checks an entry. */
export interface CheckContext {
  readonly env: Environment;
}

/** Tools, or tools with something to tell the author of the entry. */
export type KindTools = readonly Tool[] | { readonly tools: readonly Tool[]; readonly faults: readonly EntryFault[] };

/** A call that is only described. */
export interface DryCall<Settings> {
  readonly entry: ToolEntry<Settings>;
  /** The name of the tool that is called. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly host: KindHost;
}

/** A label and a text of `pegboard show`. */
export type DescribedLine = readonly [label: string, text: string];

/** What a kind does with its entries. `Settings` is what the kind reads from an entry. */
export interface KindMethods<Settings> {
  /**
   * The names of an entry's tools; without settings, all that they can be. `undefined` when only the finished tools have names.
   * Default: the name of the entry.
   */
  names?(name: string, settings?: Settings): readonly string[] | undefined;
  /** The collections and servers that the entry needs. A tool whose collection or server is off is off too. */
  uses?(entry: ToolEntry<Settings>): readonly EntryUse[];
  /** The risk of the tools of an entry that states none, from its settings. Default: write. */
  guessRisk?(settings: Settings): ToolRisk;
  /** @internal The same for files of ctx, whose entries cannot state one. Default: as `guessRisk`. */
  guessCtxRisk?(settings: Settings): ToolRisk;
  /** Faults that the schema cannot find. */
  check?(entry: ToolEntry<Settings>, context: CheckContext): readonly EntryFault[] | Promise<readonly EntryFault[]>;
  /** Values of the environment that the tools get and that must never be shown. */
  secrets?(entry: ToolEntry<Settings>, env: Environment): readonly NamedSecret[];
  /** Makes the tools of an entry. */
  tools(entry: ToolEntry<Settings>, host: KindHost): KindTools | Promise<KindTools>;
  /**
   * Which arguments are paths, for the allowed roots of a policy; `undefined` when the entry does not tell.
   * Without this method a policy with roots refuses the tools unless their entry or their metadata says `paths`.
   */
  pathArguments?(entry: ToolEntry<Settings>, host: Pick<KindHost, 'cwd' | 'env' | 'prefix'>): ToolPaths | undefined;
  /**
   * The files with code that the entry's tools are made of: a script, a program, what a command line names. No tool of the board writes
   * them unless the policy says so. Default: none.
   */
  ownFiles?(entry: ToolEntry<Settings>, host: Pick<KindHost, 'cwd'>): readonly string[];
  /** The argument that its command reads from standard input, for callers that have one; `undefined` for none. */
  inputArgument?(entry: ToolEntry<Settings>): string | undefined;
  /** What a call would do, without doing it. Without this method a dry run says that the kind cannot tell. */
  dryRun?(call: DryCall<Settings>): readonly DryStep[] | Promise<readonly DryStep[]>;
  /** The entry's own question for the person who approves a call. */
  confirmMessage?(
    entry: ToolEntry<Settings>,
    request: Pick<GuardRequest, 'args' | 'signal'>,
    host: KindHost,
  ): Promise<string | undefined>;
  /** What a tool of the entry runs, in lines for `pegboard show`; no values that may be secrets. */
  describe?(
    entry: ToolEntry<Settings>,
    host?: Pick<KindHost, 'cwd'>,
  ): readonly DescribedLine[] | Promise<readonly DescribedLine[]>;
  /** @internal The logins of the entry: what a person logs in to with `pegboard login`. */
  logins?(entry: ToolEntry<Settings>): readonly ApiClient[];
  /** What the entry needs on this machine, for `pegboard doctor`. */
  doctor?(
    entry: ToolEntry<Settings>,
    context: DoctorContext,
  ): readonly DoctorFinding[] | Promise<readonly DoctorFinding[]>;
}

/** What a kind may use while it looks for what an entry needs. */
export interface DoctorContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** A kind of tool: everything that Pegboard knows about entries of one `type`. Made by `defineKind`. */
export interface Kind extends KindMethods<unknown> {
  readonly type: string;
  /** JSON Schema of a whole entry, with the keys that all kinds share. */
  readonly entrySchema: JsonSchema;
  /** Checks a written entry against `entrySchema`. */
  validate(written: unknown): Validation;
  /** The keys of an entry that are paths: dotted, `*` for each element of a list. */
  readonly paths: readonly string[];
  /** @internal The section of a file that says what its entries of this kind have in common. */
  readonly section: string | undefined;
  /** Whether tools are made again when an MCP server offers something else. */
  readonly isLive: boolean;
  /** Whether tools depend on more than their entry; others stay the same objects while their entry does. */
  readonly readsMore: boolean;
  /** @internal True where making the tools runs code that the entry names: a board that is opened to look makes none. */
  readonly runsCode: boolean;
  /** Whether the tools keep their answers short enough for a model themselves. */
  readonly boundsOutput: boolean;
  names(name: string, settings?: unknown): readonly string[] | undefined;
  uses(entry: ToolEntry): readonly EntryUse[];
  /** Reads an entry that fits `entrySchema`. */
  read(written: Readonly<Record<string, unknown>>, context: ReadContext): unknown;
  /** Faults of an entry as it is written, told better than its schema would; none when the schema is to judge. */
  explain(written: Readonly<Record<string, unknown>>): readonly EntryFault[];
}

/** The parts of the board that a kind may use. */
export interface KindHost {
  /** The board's own environment, from which commands get what they may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where commands run unless their entry says otherwise: the folder of the board's file, or what its `working_dir` names. */
  readonly cwd: string;
  /** The folder for what the board keeps between runs; not made yet. */
  readonly data: string;
  /** Aborts when the board is closed: nothing it started goes on. */
  readonly closed: AbortSignal;
  /** Keeps outputs that are too large for a result; `undefined` when the board keeps none. */
  readonly outputs: OutputStore | undefined;
  /** @internal Starts the commands of the built-in kinds. */
  readonly spawner: Spawner | undefined;
  /** @internal Folders of git repositories, besides the board's own, whose settings may name programs. Default: none. */
  readonly trustedRepositories?: readonly string[] | undefined;
  /** A text without the secrets of the board: for one that is taken apart before it leaves. */
  redact(text: string): string;
  /** Where commands wait for their place. */
  readonly processes: ProcessQueue;
  /** The words before every command, such as `docker run … image`; empty for commands of this machine. */
  readonly prefix: readonly string[];
  /** The client for tools that may reach these private hosts; one for all with the same. */
  httpClient(allowHosts: readonly string[]): HttpClient;
  /** @internal The tokens of an API; one object for all tools with the same client. */
  apiTokens(client: ApiClient): Promise<ApiTokens>;
  /** The collections of the config; loaded when first asked for. */
  knowledge(): Promise<Knowledge>;
  /** @internal What programs that call tools of the board are run with. */
  programs(): CodeTarget;
  /** The tool of an MCP server of the config under the entry's name, as the server offers it now. */
  serverTool(entry: ToolEntry, place: ServerToolPlace): KindTools;
}

/** A tool of an MCP server of the config. */
export interface ServerToolPlace {
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
  /** The keys that the entry has itself; the others come from the server. */
  readonly given: { readonly description: boolean; readonly risk: boolean };
}
