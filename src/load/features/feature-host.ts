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

/** Options of `openBoard` that single features read. */
interface FeatureOptions {
  /** Asks a person about calls. */
  readonly approve?: Approve | undefined;
  /** `ignore` and `compare` let all tools pass the lock. */
  readonly lock?: 'ignore' | 'compare' | undefined;
  /** Asks a person about tools that differ from the lock. */
  readonly approveChanges?: ApproveChanges | undefined;
  /** MCP servers that are asked without a call. Default: those of which nothing is known, once the board is open. */
  readonly servers?: 'cached' | 'eager' | undefined;
  readonly eager?: boolean | undefined;
  /** Private hosts that every request may reach. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Events of features, which the board passes on. */
export interface FeatureEvents {
  /** A call of this process waits for an approval that any process of the board can give; `client` is who it is made for. */
  'approval-waits': { readonly id: string; readonly tool: string; readonly client: object };
  /** A command or an address of `approval.notify` could not be notified of a question; it waits all the same. */
  'notify-failed': { readonly id: string; readonly message: string };
  /** The offer of an MCP server has changed, and the board has taken it up. */
  'server-changed': { readonly server: string; readonly diagnostics: readonly Diagnostic[] };
  /** An MCP server did not start, or did not say what it offers. */
  'server-failed': { readonly server: string; readonly failure: StartFailure };
  /** The resources of one user have changed. */
  'resources-changed': undefined;
  /** A line of a server's log. */
  logged: OfferLog;
}

/** The board itself, once it stands. */
export interface StandingBoard extends CodeTarget {
  readonly files: readonly LoadedFile[];
  /** The tools that are on the board now. */
  readonly list: ToolList;
  readonly offers: OfferSource;
  readonly outputs: NonNullable<CodeTarget['outputs']>;
  readonly sealed: KeyedStore;
  readonly diagnostics: readonly Diagnostic[];
  reload(): Promise<unknown>;
}

/** The board from the view of its features. */
export interface BoardHost {
  /** `look` starts nothing and resolves no secret. */
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
  /** Asks a person, or the model that the client of a call lends. The board finds who answers from the context of the call. */
  readonly ask: Ask;
  /** Calls a tool of the board for the caller of a context, within its rights. */
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
  /** @internal The folder of the board's own file. */
  readonly folder: string;
  /** The folder of the board's data, which may not exist yet. */
  readonly data: string;
  /** @internal The folder in which commands and servers run that name no other. */
  readonly workingFolder: string;
  /** @internal Identifies the board among those with the same data folder. */
  readonly boardName: string;
  /** @internal True when the board has a place of its own for data: files, or a place that its caller names. */
  readonly isKept: boolean;
  /** @internal Vector stores and embedders of plugins. */
  readonly drivers: KnowledgeDrivers;
  /** @internal Results that are too large to return. */
  readonly outputs: NonNullable<CodeTarget['outputs']>;
  /** @internal The clients of http tools; logins request tokens through them, within the hosts that the board allows. */
  readonly clients: HttpClients;
  /** @internal Values that must never be shown; logins and servers add tokens while the board runs. */
  readonly secretLists: SecretLists;
  /** @internal The key of the store, with which the record is sealed. */
  storeKey(): Promise<Buffer>;
  /** @internal The records of the board, encrypted with its key. */
  sealedStore(): KeyedStore;
  /** @internal Passes an event of a built-in feature on to the listeners of the board. */
  emit<E extends keyof FeatureEvents>(event: E, payload: FeatureEvents[E]): void;
}

/** The board while its files are checked. */
export interface FeatureCheck {
  /** @internal */
  readonly files: readonly LoadedFile[];
  /** @internal The entries of the files with their files; of two with one name the last. */
  readonly entries: readonly { readonly entry: ToolEntry; readonly file: LoadedFile }[];
  /** Redacts values from everything that is shown. */
  readonly addSecrets: (secrets: Iterable<string>) => void;
  /** Keeps a value out of everything that is shown. `at` makes a diagnostic about it, where it is too weak for that. */
  readonly addSecret: (
    secret: NamedSecret,
    at: (message: string, severity: Diagnostic['severity']) => Diagnostic,
  ) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative files start from. */
  readonly cwd: string;
  /** The folder in which commands and servers run that name no other. */
  readonly workingFolder: string;
  /** @internal The folder that the caller wants data kept in. */
  readonly data: string | undefined;
  /** @internal Vector stores and embedders of plugins. */
  readonly drivers: KnowledgeDrivers;
}
