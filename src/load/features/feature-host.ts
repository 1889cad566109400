import type { NamedSecret } from '../../guard/secrets/secret-names.ts';
import type { CodeTarget } from '../../code/code-target.ts';
import type { ApproveChanges } from '../../guard/lock/compare-pins.ts';
import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import type { KnowledgeDrivers } from '../../knowledge/plan/knowledge-plan.ts';
import type { StartFailure } from '../../mcp/client/start-failures.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { HttpClients } from '../../platform/http/http-client.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import type { KeyedStore } from '../../platform/store/sealed-space.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import type { Ask } from '../../tool/calls/ask.ts';
import type { OfferLog, OfferSource } from '../../tool/offers.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { BoardMode } from '../board-mode.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LoadedFile } from '../loaded-file.ts';
import type { ToolList } from './tool-list.ts';

/** Options of `openBoard` that only one feature reads. */
interface FeatureOptions {
  /** Asks a person about calls. */
  readonly approve?: Approve | undefined;
  /** `ignore` and `compare` let all tools pass the lock. */
  readonly lock?: 'ignore' | 'compare' | undefined;
  /** Asks a person about tools that differ from the lock. */
  readonly approveChanges?: ApproveChanges | undefined;
  /** MCP servers that are contacted without a call. Default: unknown ones, once the board is open. */
  readonly servers?: 'cached' | 'eager' | undefined;
  readonly eager?: boolean | undefined;
  /** Private hosts that all requests may reach. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Events of features, which the board passes on. */
export interface FeatureEvents {
  /** A call of this process waits for an approval, which any process of the board can give; `client` is the client of the call. */
  'approval-waits': { readonly id: string; readonly tool: string; readonly client: object };
  /** A command or address under `approval.notify` could not be notified of a question, which keeps waiting. */
  'notify-failed': { readonly id: string; readonly message: string };
  /** An MCP server changed its offer, and the board uses the new one. */
  'server-changed': { readonly server: string; readonly diagnostics: readonly Diagnostic[] };
  /** An MCP server did not start, or did not list its offer. */
  'server-failed': { readonly server: string; readonly failure: StartFailure };
  /** The resources of one user changed. */
  'resources-changed': undefined;
  /** A log line of a server. */
  logged: OfferLog;
}

/** The board itself, once it is open. */
export interface StandingBoard extends CodeTarget {
  readonly files: readonly LoadedFile[];
  /** The current tools of the board. */
  readonly list: ToolList;
  readonly offers: OfferSource;
  readonly outputs: NonNullable<CodeTarget['outputs']>;
  readonly sealed: KeyedStore;
  readonly diagnostics: readonly Diagnostic[];
  reload(): Promise<unknown>;
}

/** The board from the view of its features. */
export interface BoardHost {
  /** `look` starts nothing and resolves no secrets. */
  readonly mode: BoardMode;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The board's records, shared by all its processes and opened on first use. */
  readonly store: BoardStore;
  /** Aborts when the board is closed. */
  readonly closed: AbortSignal;
  /** Returns the user that a call is made for; empty for the user of the board itself. */
  userOf(context: ToolContext): string;
  /** Removes secrets from a JSON-like value. */
  redact(value: unknown): unknown;
  /** Asks a person, or the model that the client of a call offers. The board finds who answers from the context of the call. */
  readonly ask: Ask;
  /** Calls a tool of the board for the caller of a context, within the caller's rights. */
  call(name: string, args: unknown, options: CallOptions): Promise<ToolResult>;
  /** All prompts and resources of the board. */
  readonly offers: OfferSource;
  /** Reports changed tools or filters, so that the board composes its list again. */
  changed(): Promise<void>;
  /** @internal The board itself. Throws before it is ready. */
  board(): StandingBoard;
  /** @internal Options of `openBoard` that single features read. */
  readonly options: FeatureOptions;
  /** @internal The files of this reading. */
  readonly files: readonly LoadedFile[];
  /** @internal The folder that contains the board's own file. */
  readonly folder: string;
  /** The folder of the board's data, which may not exist yet. */
  readonly data: string;
  /** @internal The default folder for commands and servers. */
  readonly workingFolder: string;
  /** @internal Distinguishes boards with the same data folder. */
  readonly boardName: string;
  /** @internal True when the board has its own place for data: because it has files, or because its caller names a place. */
  readonly isKept: boolean;
  /** @internal Vector stores and embedders of plugins. */
  readonly drivers: KnowledgeDrivers;
  /** @internal Stores results that are too large to return. */
  readonly outputs: NonNullable<CodeTarget['outputs']>;
  /** @internal The clients of http tools; logins request tokens through them, within the hosts that the board allows. */
  readonly clients: HttpClients;
  /** @internal Values that must never be shown; logins and servers add tokens while the board runs. */
  readonly secretLists: SecretLists;
  /** @internal The key of the store, with which the record is sealed. */
  storeKey(): Promise<Buffer>;
  /** @internal The records of the board, encrypted with its key. */
  sealedStore(): KeyedStore;
  /** @internal Notes what is written into the board's files with the consent of a person: a board whose changes wait takes it over. */
  consent(type: 'lock' | 'approved', written: unknown): Promise<void>;
  /** @internal Passes an event of a built-in feature on to the listeners of the board. */
  emit<E extends keyof FeatureEvents>(event: E, payload: FeatureEvents[E]): void;
}

/** The board while its files are checked. */
export interface FeatureCheck {
  /** @internal */
  readonly files: readonly LoadedFile[];
  /** @internal The entries of all files, each with its file; of two with the same name, the last. */
  readonly entries: readonly { readonly entry: ToolEntry; readonly file: LoadedFile }[];
  /** Removes values from everything that is shown. */
  readonly addSecrets: (secrets: Iterable<string>) => void;
  /** Removes a value from everything that is shown. `at` creates a diagnostic if the value is too weak for that. */
  readonly addSecret: (
    secret: NamedSecret,
    at: (message: string, severity: Diagnostic['severity']) => Diagnostic,
  ) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base folder of relative files. */
  readonly cwd: string;
  /** The default folder for commands and servers. */
  readonly workingFolder: string;
  /** @internal The data folder that the caller chose. */
  readonly data: string | undefined;
  /** @internal Vector stores and embedders of plugins. */
  readonly drivers: KnowledgeDrivers;
}
