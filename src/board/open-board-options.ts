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
  /** Tools defined in code. A tool of a file with the same name is replaced. */
  readonly tools?: Iterable<Registrable>;
  /** The `policy` section of a board file; it applies in addition to the policies of the files. */
  readonly policy?: PolicySection;
  /** The `rag` section of a board file: collections, stores and embedders. */
  readonly knowledge?: KnowledgeSettings;
  /** The `mcpServers` section of a board file: other MCP servers whose tools are on the board. */
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Sections of a board file, such as those of plugin features. They override those of the files. */
  readonly sections?: Readonly<Record<string, unknown>>;
  /** Kinds of tools that the files may have, in addition to those of plugins. */
  readonly kinds?: readonly Kind[];
  /** Plugins, in addition to those that the files name. */
  readonly plugins?: readonly Plugin[];
  /**
   * The store of the board: a PostgreSQL address, or a custom store, which is not closed with the board. Default: `PEGBOARD_STORE`, `store`
   * in the config, or SQLite in the data folder.
   */
  readonly store?: BoardStore | string;
  /** The environment for `${NAME}` and for commands. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The base folder of relative files. Default: the folder of this process. */
  readonly cwd?: string;
  /** Asks a person to approve a call when the policy requires that. Default: such calls are refused. */
  readonly approve?: Approve | undefined;
  /** The tools for finding others. Default: as the files say. */
  readonly discoveryTools?: boolean | 'climax' | 'code';
  /**
   * `look` runs nothing that the files name: it resolves no secrets, loads no scripts or plugins of files, starts no MCP servers and
   * refuses calls. The diagnostics list what is missing because of that. Default: run.
   */
  readonly mode?: BoardMode;
  /**
   * Reloads when a file changes. With `careful`, changes of rules (`policy`, `serve`, `lock`, `record`, `audit`), of code that runs without a
   * call (`plugins`, scripts, `secret` commands), of what MCP servers are started with, and of `data` and `store` wait until a person accepts
   * them: see `board.changes`. Default: false.
   */
  readonly watch?: boolean | 'careful';
  /** Private hosts, `host:port` or networks that every http tool may reach, in addition to those of its config. */
  readonly allowHosts?: readonly string[];
  /** Maximum numbers of running commands and of waiting calls; overrides `processes` in the config. MCP servers do not count. */
  readonly processes?: ProcessLimits;
  /**
   * The data folder of the board. Default: `PEGBOARD_DATA`, `data` in the config, or a folder for the board in `~/.local/state/pegboard`.
   */
  readonly data?: string;
  /** Starts every MCP server of the config and waits for them, instead of starting each with its first call. Default: false. */
  readonly eager?: boolean;
  /**
   * `cached` starts no MCP server without a call: a server that was never contacted has no tools. `eager` is the same as `eager: true`.
   * Default: unknown servers are contacted once the board is open, and their tools are added later.
   */
  readonly servers?: 'cached' | 'eager';
  /** `all` continues checking after an error, to report later errors too. Default: stop. */
  readonly faults?: 'all';
  /** Asks a person the questions of an MCP server, if the caller of a tool has no such function. */
  readonly elicit?: Elicit;
  /** Logs a person in to servers that require it (OAuth). Default: such a server names the command to run. */
  readonly login?: OAuthLogin;
  /** Asks a person about tools that differ from `pegboard.lock`, under `lock: approve`. Default: they are refused. */
  readonly approveChanges?: ApproveChanges;
  /** `ignore` skips `pegboard.lock`; `compare` skips it only for tools, and runs no plugin that the lock refuses. */
  readonly lock?: 'ignore' | 'compare';
}
