import type { KnowledgeSettings } from '../knowledge/plan/knowledge-settings.ts';
import type { Elicit } from '../tool/calls/elicitation.ts';
import type { Approve } from '../tool/calls/approval.ts';
import type { PolicySection } from '../guard/policy/policy-section.ts';
import type { Kind } from '../kinds/kind.ts';
import type { BoardMode } from '../load/board-mode.ts';
import type { Plugin } from '../load/plugins/define-plugin.ts';
import type { OAuthLogin } from '../platform/oauth/oauth-settings.ts';
import type { ExecutorOptions } from '../pipeline/executor-options.ts';
import type { ProcessLimits } from '../platform/process/process-queue.ts';
import type { BoardStore } from '../platform/store/board-store.ts';
import type { ApproveChanges } from '../guard/lock/compare-pins.ts';
import type { Registrable } from './registry/tool-registry.ts';

/** Options of a board. */
export interface OpenBoardOptions extends Omit<
  ExecutorOptions,
  'guard' | 'reserve' | 'isGuarded' | 'lease' | 'recorder' | 'secrets' | 'approvals' | 'spans'
> {
  /** Tools of code. One of these takes the place of a file's tool with the same name. */
  readonly tools?: Iterable<Registrable>;
  /** The `policy` section of a board file; it applies in addition to the policies of the files. */
  readonly policy?: PolicySection;
  /** The `rag` section of a board file: collections, stores and embedders. */
  readonly knowledge?: KnowledgeSettings;
  /** The `mcpServers` section of a board file: other MCP servers whose tools are on the board. */
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Sections of a board file, such as those of features that plugins bring; they join those of the files as a last file would. */
  readonly sections?: Readonly<Record<string, unknown>>;
  /** Kinds of tools that the files may have, besides those of plugins. */
  readonly kinds?: readonly Kind[];
  /** Plugins, besides those that the files name. */
  readonly plugins?: readonly Plugin[];
  /**
   * The store of the board: an address of PostgreSQL, or a store of your own, which is not closed with the board.
   * Default: `PEGBOARD_STORE`, `store` in the config, SQLite in the data folder.
   */
  readonly store?: BoardStore | string;
  /** The environment for `${NAME}` and for commands. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder that relative files start from. Default: the folder of this process. */
  readonly cwd?: string;
  /** Asks a person whether a call may run, where the policy wants that. Without it such a call is refused. */
  readonly approve?: Approve | undefined;
  /** The tools for finding others on the board. Default: by the files. */
  readonly discoveryTools?: boolean | 'climax' | 'code';
  /**
   * `look` runs nothing that the files name: no secret is resolved, no plugin of a file and no script is loaded, no MCP server is
   * started, and calls are refused. What is missing for that is among the diagnostics. Default: run.
   */
  readonly mode?: BoardMode;
  /**
   * Reloads when a file changes. With `careful`, changes of rules (`policy`, `serve`, `lock`, `record`, `audit`), of code that runs without a
   * call (`plugins`, scripts, `secret` commands), of what MCP servers are started with, and of `data` and `store` wait until a person accepts
   * them: see `board.changes`. Default: false.
   */
  readonly watch?: boolean | 'careful';
  /** Private hosts, `host:port` or networks that every http tool may reach, besides those its config names. */
  readonly allowHosts?: readonly string[];
  /** The most commands that run at once and the most calls that wait for that; wins over `processes` in the config. MCP servers do not count. */
  readonly processes?: ProcessLimits;
  /** The folder for what the board keeps. Default: `PEGBOARD_DATA`, `data` in the config, a folder of the board in `~/.local/state/pegboard`. */
  readonly data?: string;
  /** Starts every MCP server of the config and waits for them, instead of starting each at its first call. Default: false. */
  readonly eager?: boolean;
  /**
   * `cached` starts no MCP server without a call: one that was never asked what it offers has no tools. `eager` is the same as
   * `eager: true`. Default: a server of which nothing is known is asked once the board is open, and its tools come later.
   */
  readonly servers?: 'cached' | 'eager';
  /** `all` checks on after an error, to report later errors too. Default: stop. */
  readonly faults?: 'all';
  /** Asks a person what an MCP server wants to know, where the caller of a tool brings no such function. */
  readonly elicit?: Elicit;
  /** Logs a person in at servers that want it (OAuth); without it such a server says which command to run. */
  readonly login?: OAuthLogin;
  /** Asks a person about tools that differ from `pegboard.lock`, under `lock: approve`. Without it they are left off. */
  readonly approveChanges?: ApproveChanges;
  /** `ignore` passes over `pegboard.lock`; `compare` does so for tools alone, and runs no plugin that the lock holds back. */
  readonly lock?: 'ignore' | 'compare';
}
