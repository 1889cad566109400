import type { Tool } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { BoardOffers } from '../tool/offers.ts';
import type { ToolIndex } from '../discovery/tool-index.ts';
import type { RankOptions } from '../discovery/search-options.ts';
import type { DryRun } from '../kinds/kind.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ConfigError, Diagnostic } from '../load/diagnostics/diagnostic.ts';
import type { Feature } from '../load/features/feature.ts';
import type { OpenFeature } from '../load/features/open-feature.ts';
import type { LoadedFile } from '../load/loaded-file.ts';
import type { Plugin } from '../load/plugins/define-plugin.ts';
import type { BoardServer } from '../features/servers/to-board-server.ts';
import type { StartFailure } from '../mcp/client/start-failures.ts';
import type { CallOptions } from '../pipeline/call-options.ts';
import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { BoardRuns } from '../platform/runs/board-runs.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import type { BoardApprovals } from '../guard/approval/kept/approval-record.ts';
import type { BoardAudit } from '../features/record/audit/board-audit.ts';
import type { BoardCalls } from '../features/record/board-calls.ts';
import type { BoardLogin } from './assembly/find-logins.ts';
import type { BoardLock } from '../features/lock/board-lock.ts';
import type { ToolRegistry } from './registry/tool-registry.ts';

/** Options of `ready`. */
export interface ReadyOptions {
  /** Asks servers that failed a short while ago once more. Default: false. */
  readonly retry?: boolean;
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A feature that is open on a board. */
export interface BoardFeature extends Pick<OpenFeature, 'api' | 'status' | 'explain' | 'doctor'> {
  readonly feature: Feature;
}

/** A tool that is off. */
export interface UnavailableTool {
  readonly name: string;
  /** Why, and what to do. */
  readonly reason: string;
}

/** Events of a board. */
export interface BoardEvents extends Record<string, unknown> {
  reloaded: { readonly files: readonly LoadedFile[]; readonly diagnostics: readonly Diagnostic[] };
  'reload-failed': { readonly error: ConfigError };
  /** A call of this process waits for a yes that any process of the board can give. */
  'approval-waits': { readonly id: string; readonly tool: string };
  /** A command or an address of `approval.notify` could not be told that a question waits; it waits all the same. */
  'notify-failed': { readonly id: string; readonly message: string };
  /** An MCP server offers something else than before, and the board has taken it up. */
  'server-changed': { readonly server: string; readonly diagnostics: readonly Diagnostic[] };
  /** An MCP server did not start, or did not say what it offers. */
  'server-failed': { readonly server: string; readonly failure: StartFailure };
}

/** Tools of files and of code with all that belongs to them: policy, lock, knowledge, servers. */
export interface Board {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** Finds tools by what they do; made when first asked for. */
  readonly index: ToolIndex;
  /** The names of tools that stay listed where others must be searched for; those that are on the board. */
  readonly pinned: readonly string[];
  /** The folder for what the board keeps between runs; made when something is kept. */
  readonly data: string;
  /** Small records that are kept between runs; opened when first asked for. */
  readonly store: BoardStore;
  /** The same store for what only processes with the board's key may read: what is kept through it is sealed. */
  readonly sealed: SealedStore;
  /** Makes sure that the store can be used: rejects with `invalid_config` for another key or tables of a newer program. */
  checkStore(): Promise<void>;
  /** The record of its calls, by all its processes. */
  readonly calls: BoardCalls;
  /** The sealed lines of that record, and whether they are as they were written. */
  readonly audit: BoardAudit;
  /** Number of running commands, and of calls that wait to run one. */
  readonly processes: { readonly running: number; readonly waiting: number };
  /** The questions to people about its calls, by all its processes. */
  readonly approvals: BoardApprovals;
  /** Runs of agents that are kept and can go on, by all its processes. */
  readonly runs: BoardRuns;
  /** Outputs that were too large to return, kept for a while. */
  readonly outputs: OutputStore;
  /** The collections of the config's `rag` section and its tools; loaded when first asked for. */
  knowledge(): Promise<Knowledge>;
  /** The loaded files, in the order in which later files win. */
  readonly files: readonly LoadedFile[];
  /** The plugins of code and of the files. */
  readonly plugins: readonly Plugin[];
  /** The features that are open on the board. */
  readonly features: readonly BoardFeature[];
  /** The API of a feature; `undefined` where it is not open. */
  feature<Api>(feature: Feature<Api>): Api | undefined;
  /** Warnings and notes about the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** The MCP servers of the config. */
  readonly servers: readonly BoardServer[];
  /** Prompts and resources: the board's own, and those of its MCP servers. */
  readonly offers: BoardOffers;
  /** The APIs of the config that a person logs in to, as `pegboard login` does. */
  logins(): Promise<readonly BoardLogin[]>;
  /** The tools that are off, since variables that they need are not set. */
  readonly unavailable: readonly UnavailableTool[];
  /** The state of the tools against `pegboard.lock`. */
  readonly lock: BoardLock;
  /** Calls a tool; a failure is a result. */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult>;
  /** The tools that fit a request best, best first. At most 10 unless `limit` says otherwise. */
  search(query: string, options?: RankOptions): Tool[];
  /** Takes out of a text what must not be shown: secrets of the files, and tokens of servers. */
  redact(text: string): string;
  /** Returns the command or request of a call, without running it. */
  dryRun(name: string, args?: unknown): Promise<DryRun>;
  /**
   * Waits until every MCP server has said what it offers, or failed; asks those that were not asked yet. Gives the servers of
   * which nothing is known then.
   */
  ready(options?: ReadyOptions): Promise<readonly BoardServer[]>;
  /** Reads the files again. When they have errors the board stays as it is. */
  reload(): Promise<{ readonly ok: true } | { readonly ok: false; readonly error: ConfigError }>;
  on<E extends keyof BoardEvents>(event: E, listener: (payload: BoardEvents[E]) => unknown): () => void;
  /** Stops watching, closes connections and deletes kept outputs. */
  close(): Promise<void>;
}
