import type { BoardChanges, WaitingChange } from '../guard/approval/waiting-change.ts';
import type { DryRun } from '../kinds/kind.ts';
import type { ConfigError, Diagnostic } from '../load/diagnostics/diagnostic.ts';
import type { FeatureEvents } from '../load/features/feature-host.ts';
import type { Feature } from '../load/features/feature.ts';
import type { OpenFeature } from '../load/features/open-feature.ts';
import type { LoadedFile } from '../load/loaded-file.ts';
import type { Plugin } from '../load/plugins/define-plugin.ts';
import type { CallOptions } from '../pipeline/call-options.ts';
import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import type { OutputStore } from '../platform/outputs/output-store.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { SealedStore } from '../platform/store/sealed-space.ts';
import type { BoardOffers } from '../tool/offers.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { ToolRegistry } from './registry/tool-registry.ts';

/** An open feature of a board. */
export interface BoardFeature extends Pick<OpenFeature, 'api' | 'status' | 'explain' | 'doctor'> {
  readonly feature: Feature;
}

/** A disabled tool. */
export interface UnavailableTool {
  readonly name: string;
  /** The reason and the fix. */
  readonly reason: string;
}

/** Events of a board. */
export interface BoardEvents
  extends
    Pick<FeatureEvents, 'approval-waits' | 'notify-failed' | 'server-changed' | 'server-failed'>,
    Record<string, unknown> {
  reloaded: { readonly files: readonly LoadedFile[]; readonly diagnostics: readonly Diagnostic[] };
  'reload-failed': { readonly error: ConfigError };
  /** A change of the files waits for a person (`watch: 'careful'`), or was refused. The board uses the files from before. */
  'reload-waiting': { readonly change: WaitingChange };
}

/** The members of a board that come from no feature. */
export interface BoardCore {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** The folder for data that the board keeps between runs; created on first use. */
  readonly data: string;
  /** Stores small records between runs; opened on first use. */
  readonly store: BoardStore;
  /** The same store for records that only processes with the board's key may read: they are sealed. */
  readonly sealed: SealedStore;
  /** Checks that the store can be used. Rejects with `invalid_config` for another key, or for tables of a newer version. */
  checkStore(): Promise<void>;
  /** Changes of the files that wait for a person, where the board runs with `watch: 'careful'` in this process or another one. */
  readonly changes: BoardChanges;
  /** Number of running commands, and of calls that wait to run one. */
  readonly processes: { readonly running: number; readonly waiting: number };
  /** Outputs that were too large to return, stored for a while. */
  readonly outputs: OutputStore;
  /** The loaded files; later ones override earlier ones. */
  readonly files: readonly LoadedFile[];
  /** The plugins of code and of the files. */
  readonly plugins: readonly Plugin[];
  /** The open features of the board. */
  readonly features: readonly BoardFeature[];
  /** Returns the API of a feature; `undefined` if it is not open. */
  feature<Api>(feature: Feature<Api>): Api | undefined;
  /** Returns the API of a feature. Throws `invalid_config` if it is not open because no file has its section. */
  api<Api>(feature: Feature<Api>): Api;
  /** Warnings and notes about the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Prompts and resources: the board's own, and those of its MCP servers. */
  readonly offers: BoardOffers;
  /** Tools that are disabled because variables they need are not set. */
  readonly unavailable: readonly UnavailableTool[];
  /** Calls a tool; a failure is a result. */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolResult>;
  /** Removes values that must not be shown from a text: secrets of the files, and tokens of servers. */
  redact(text: string): string;
  /** Returns the command or request of a call, without running it. */
  dryRun(name: string, args?: unknown): Promise<DryRun>;
  /** Reads the files again. If they have errors, or a change waits for a person, the board stays unchanged. */
  reload(): Promise<{ readonly ok: true } | { readonly ok: false; readonly error: ConfigError }>;
  on<E extends keyof BoardEvents>(event: E, listener: (payload: BoardEvents[E]) => unknown): () => void;
  /** Stops watching, closes connections and deletes stored outputs. */
  close(): Promise<void>;
}
