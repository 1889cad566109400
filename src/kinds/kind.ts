import type { CodeTarget } from '../code/code-target.ts';
import type { HttpClient } from '../platform/http/http-client.ts';
import type { ApiClient, ApiTokens } from '../platform/oauth/api-tokens.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { ProcessQueue } from '../platform/process/process-queue.ts';
import type { Spawner } from '../platform/process/spawn/spawner.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Ask } from '../tool/calls/ask.ts';
import type { GuardRequest } from '../tool/calls/call-bounds.ts';
import type { JsonSchema } from '../tool/json.ts';
import type { ToolMetadata, ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool, Validation } from '../tool/tool.ts';
import type { ToolPaths } from '../guard/policy/tool-paths.ts';
import type { NamedSecret } from '../guard/secrets/secret-names.ts';
import type { DryVerdict } from '../guard/approval/guard.ts';

/** Keys and indexes that lead to a value of a config file. */
export type EntryPath = readonly (string | number)[];

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An entry under `tools` of a config file, read by its kind. */
export interface ToolEntry<Settings = unknown> {
  readonly kind: Kind;
  readonly metadata: ToolMetadata;
  /** The entry's own settings, without the keys that all kinds share. */
  readonly settings: Settings;
  /** The entry's file, for messages. */
  readonly file: string;
  /** The entry's position in its file. */
  readonly path: EntryPath;
  /** The arguments that the entry lists as paths, dotted for nested ones; `undefined` if it has no list. */
  readonly paths?: readonly string[] | undefined;
  /**
   * @internal The source of the settings, to detect changes: settings may hide their values.
   */
  readonly readFrom?: unknown;
}

/** A fault of an entry that its schema cannot find. */
export interface EntryFault {
  /** Relative to the entry. */
  readonly path: EntryPath;
  readonly message: string;
  /** A board with errors does not open. Default: error. */
  readonly severity?: 'error' | 'warning' | 'note';
}

/** A part of the board that an entry needs: a collection of `rag`, or a server of `mcpServers`. */
export interface EntryUse {
  readonly type: 'collection' | 'server';
  readonly name: string;
  /** The key that names it, relative to the entry. */
  readonly path: EntryPath;
}

/** The context for reading an entry. */
export interface ReadContext {
  /** The whole entry as written, including the keys that all kinds share. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The folder of the file, the base of its relative paths. */
  readonly folder: string;
  /** The variables that the file passes to every command. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * @internal The section of the file that the kind names, validated by its schema.
   */
  readonly section?: Readonly<Record<string, unknown>> | undefined;
  /** Registers a value as a secret if its name indicates one. */
  addSecrets(name: string, value: string): void;
  /** Reports an error to the author; the path is relative to the entry. */
  addError(path: EntryPath, message: string): void;
}

/** The context for checking an entry. */
export interface CheckContext {
  readonly env: Environment;
}

/** Tools, or tools with faults to report to the author of the entry. */
export type KindTools = readonly Tool[] | { readonly tools: readonly Tool[]; readonly faults: readonly EntryFault[] };

/** A call that is only described. */
export interface DryCall<Settings> {
  readonly entry: ToolEntry<Settings>;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly host: KindHost;
}

/** A label and a text of `pegboard show`. */
export type DescribedLine = readonly [label: string, text: string];

/** The methods of a kind. `Settings` is the type that the kind reads from an entry. */
export interface KindMethods<Settings> {
  /**
   * Returns the names of an entry's tools; without settings, all possible ones. `undefined` if only the finished tools have
   * names. Default: the name of the entry.
   */
  names?(name: string, settings?: Settings): readonly string[] | undefined;
  /** Returns the collections and servers that the entry needs. If one is disabled, its tools are disabled too. */
  uses?(entry: ToolEntry<Settings>): readonly EntryUse[];
  /** Returns the risk of an entry that sets none, from its settings. Default: write. */
  guessRisk?(settings: Settings): ToolRisk;
  /**
   * @internal The same for files of ctx, whose entries cannot set one. Default: `guessRisk`.
   */
  guessCtxRisk?(settings: Settings): ToolRisk;
  /** Returns faults that the schema cannot find. */
  check?(entry: ToolEntry<Settings>, context: CheckContext): readonly EntryFault[] | Promise<readonly EntryFault[]>;
  /** Returns values of the environment that the tools get and that must never be shown. */
  secrets?(entry: ToolEntry<Settings>, env: Environment): readonly NamedSecret[];
  /** Creates the tools of an entry. */
  tools(entry: ToolEntry<Settings>, host: KindHost): KindTools | Promise<KindTools>;
  /**
   * Returns the arguments that are paths, for the allowed roots of a policy; `undefined` if the entry does not say. Without this
   * method a policy with roots denies the tools unless their entry or their metadata has `paths`.
   */
  pathArguments?(entry: ToolEntry<Settings>, host: Pick<KindHost, 'cwd' | 'env' | 'prefix'>): ToolPaths | undefined;
  /**
   * Returns the files with code that the entry's tools consist of: a script, a program, files named by a command line. No tool of
   * the board may write them unless the policy allows it. Default: none.
   */
  ownFiles?(entry: ToolEntry<Settings>, host: Pick<KindHost, 'cwd'>): readonly string[];
  /** @internal Folders that commands of the entry can walk although no argument of a call names them. Default: none. */
  walks?(entry: ToolEntry<Settings>, host: Pick<KindHost, 'cwd' | 'env' | 'prefix'>): readonly string[];
  /** Returns the argument that its command reads from standard input, for callers that have one; `undefined` for none. */
  inputArgument?(entry: ToolEntry<Settings>): string | undefined;
  /**
   * Describes the steps of a call without taking them. Without this method a dry run reports that the kind cannot describe its
   * calls.
   */
  dryRun?(call: DryCall<Settings>): readonly DryStep[] | Promise<readonly DryStep[]>;
  /** Returns the entry's own question for the person who approves a call. */
  confirmMessage?(
    entry: ToolEntry<Settings>,
    request: Pick<GuardRequest, 'args' | 'signal'>,
    host: KindHost,
  ): Promise<string | undefined>;
  /** Describes what a tool of the entry runs, in lines for `pegboard show`, without values that may be secrets. */
  describe?(
    entry: ToolEntry<Settings>,
    host?: Pick<KindHost, 'cwd'>,
  ): readonly DescribedLine[] | Promise<readonly DescribedLine[]>;
  /**
   * @internal Returns the entry's logins for `pegboard login`.
   */
  logins?(entry: ToolEntry<Settings>): readonly ApiClient[];
  /** Returns what the entry needs on this machine, for `pegboard doctor`. */
  doctor?(
    entry: ToolEntry<Settings>,
    context: DoctorContext,
  ): readonly DoctorFinding[] | Promise<readonly DoctorFinding[]>;
}

/** The context for finding what an entry needs. */
export interface DoctorContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** A kind of tool: everything that Pegboard knows about entries of one `type`. Created by `defineKind`. */
export interface Kind extends KindMethods<unknown> {
  readonly type: string;
  /** JSON Schema of a whole entry, including the keys that all kinds share. */
  readonly entrySchema: JsonSchema;
  /** Validates a written entry against `entrySchema`. */
  validate(written: unknown): Validation;
  /** The keys of an entry that are paths: dotted, `*` for each element of a list. */
  readonly paths: readonly string[];
  /**
   * @internal The section of a file with settings shared by its entries of this kind.
   */
  readonly section: string | undefined;
  /** True when tools are recreated after an MCP server changes its offer. */
  readonly isLive: boolean;
  /** True when tools depend on more than their entry; others stay the same objects while their entry does. */
  readonly readsMore: boolean;
  /**
   * @internal True when creating the tools runs code that the entry names: a board opened only for inspection creates none.
   */
  readonly runsCode: boolean;
  /** True when the tools keep their results short enough for a model themselves. */
  readonly boundsOutput: boolean;
  names(name: string, settings?: unknown): readonly string[] | undefined;
  uses(entry: ToolEntry): readonly EntryUse[];
  /** Reads an entry that matches `entrySchema`. */
  read(written: Readonly<Record<string, unknown>>, context: ReadContext): unknown;
  /** Returns faults of an entry with better messages than the schema's; empty if the schema decides. */
  explain(written: Readonly<Record<string, unknown>>): readonly EntryFault[];
}

/** The parts of the board that a kind may use. */
export interface KindHost {
  /** The board's own environment, from which commands get the variables they may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which commands run unless their entry sets another: that of the board's file, or its `working_dir`. */
  readonly cwd: string;
  /** The folder for data that the board keeps between runs; may not exist yet. */
  readonly data: string;
  /** Aborts when the board is closed: everything it started must stop. */
  readonly closed: AbortSignal;
  /** Stores outputs that are too large for a result; `undefined` if the board stores none. */
  readonly outputs: OutputStore | undefined;
  /**
   * @internal Starts the commands of the built-in kinds.
   */
  readonly spawner: Spawner | undefined;
  /**
   * @internal Folders of git repositories, in addition to the board's own, whose settings may name programs. Default: none.
   */
  readonly trustedRepositories?: readonly string[] | undefined;
  /** Removes the secrets of the board from a text: for texts that are parsed before they leave. */
  redact(text: string): string;
  /** Asks a person, or the model that the client of a call offers. The board finds who answers from the context of the call. */
  readonly ask: Ask;
  /** The queue in which commands wait for a slot. */
  readonly processes: ProcessQueue;
  /** The words before every command, such as `docker run … image`; empty for local commands. */
  readonly prefix: readonly string[];
  /** Returns the client for tools that may reach these private hosts; shared by all with the same hosts. */
  httpClient(allowHosts: readonly string[]): HttpClient;
  /**
   * @internal The tokens of an API; one object for all tools with the same client.
   */
  apiTokens(client: ApiClient): Promise<ApiTokens>;
  /** Returns the collections of the config, loaded on first use. */
  knowledge(): Promise<Knowledge>;
  /**
   * @internal The parts of the board that programs use.
   */
  programs(): CodeTarget;
  /** Returns the current tool of an MCP server in the config under the entry's name. */
  serverTool(entry: ToolEntry, place: ServerToolPlace): KindTools;
}

/** A tool of an MCP server in the config. */
export interface ServerToolPlace {
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
  /** The keys that the entry sets itself; the others come from the server. */
  readonly given: { readonly description: boolean; readonly risk: boolean };
}

/** A requirement of an entry, for `pegboard doctor` to check. */
export type DoctorFinding =
  /** A program: a name, or a path. */
  | { readonly need: 'command'; readonly name: string }
  /** An address whose host must be reachable. */
  | { readonly need: 'host'; readonly url: string }
  /** An environment variable that is passed on if it is set. */
  | { readonly need: 'variable'; readonly name: string }
  /** A sandbox, and the folders that a command gets in it. */
  | { readonly need: 'sandbox'; readonly folders: readonly string[] }
  /** Resource limits of a command. */
  | { readonly need: 'limits' }
  /** A requirement that the kind has checked itself. */
  | {
      readonly need: 'own';
      /** The subject in one word: script, database. */
      readonly kind: string;
      readonly name: string;
      /** `missing`: the tools cannot work without it. */
      readonly status: 'ok' | 'warning' | 'missing';
      readonly detail: string;
    };

/** A command that a call would start. */
export interface DryCommand {
  readonly type: 'command';
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  /** Names only: values may be secrets. */
  readonly env: readonly string[];
  /** Bytes for standard input. */
  readonly stdin: number | undefined;
  /** Files to be written for it, in the folder that `argv` calls `<files>`. */
  readonly files?: readonly { readonly name: string; readonly bytes: number }[];
}

/** A request that a call would send. */
export interface DryRequest {
  readonly type: 'request';
  readonly method: string;
  readonly url: string;
  /** Names only: values may be secrets. */
  readonly headers: readonly string[];
  /** The kind of credentials added to it, such as `bearer`. */
  readonly auth?: string;
}

/** A search or a write in a knowledge base. */
export interface DryKnowledge {
  readonly type: 'knowledge';
  readonly operation: 'search' | 'store';
  readonly collection: string;
  /** The name of the server in the config. */
  readonly server: string;
  readonly driver: string;
  /** A file or an address. */
  readonly place: string;
  /** The embedder; none for a search by words alone. */
  readonly embedder: string | undefined;
  /** The arguments, with their defaults. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Any other step of a call, described by its kind. */
export interface DryAction {
  readonly type: 'action';
  /** The action: `query shop.db`. */
  readonly title: string;
  /** Its inputs, by name. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One step of a call. */
export type DryStep = DryCommand | DryRequest | DryKnowledge | DryAction;

/** The steps that a call would take. */
export interface DryRun {
  readonly tool: string;
  /** Empty if the tool's kind cannot describe its calls. */
  readonly steps: readonly DryStep[];
  /** The predicted decision of the board's policies; undefined if they allow the call. */
  readonly verdict?: DryVerdict;
}
