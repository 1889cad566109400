import type { PromptSource, ResourceSource, McpIcon } from './sources/sources.ts';

/** The tools that a server lists: all, only those that find others, only those of code mode, or all while they fit the token budget. */
export type ExposureMode = 'classic' | 'discovery' | 'code' | 'auto';

/** Options of a served board. */
export interface McpServerOptions {
  /** The server's name in clients. Default: `pegboard`. */
  readonly name?: string;
  /** The name that people see in clients. */
  readonly title?: string;
  /** The version for clients. */
  readonly version?: string;
  /** Pictures that clients may show. */
  readonly icons?: readonly McpIcon[];
  /** Text about the board as a whole for models. */
  readonly instructions?: string;
  /** The tools that are listed. Default: `auto`, or `discovery` with `compat`. */
  readonly mode?: ExposureMode;
  /** Tokens of definitions above which `auto` lists the meta-tools instead. Default: 10,000. */
  readonly tokenBudget?: number;
  /** `climax` names the meta-tools as CLImax's clients know them, and lists them unless `mode` says otherwise. */
  readonly compat?: 'climax' | undefined;
  /** Prompts in addition to the board's own. */
  readonly prompts?: readonly PromptSource[];
  /** Resources in addition to the board's own. */
  readonly resources?: readonly ResourceSource[];
  /** Offers the prompt `board_tools` and the resources `pegboard://tools/*`. Default: true. */
  readonly describeTools?: boolean;
  /** Milliseconds that the first list of tools waits for servers that have not answered. Default: 3,000. */
  readonly firstList?: number;
  /** Items on one page of a list. Default: 1,000. */
  readonly pageSize?: number;
  /** Time for which clients may keep a list, in milliseconds. Default: one minute. */
  readonly listTtl?: number;
  /** The calls that become tasks. */
  readonly tasks?: TaskOptions;
}

/** When a call becomes a task, and how long tasks are kept. */
export interface TaskOptions {
  /** Milliseconds after which a running call becomes a task, for clients that are known to fetch tasks. Default: 5,000. */
  readonly after?: number;
  /** Names of clients that fetch tasks; `*` for all that declare the extension. Default: those that have fetched one. */
  readonly clients?: readonly string[];
  /** Names of tools whose calls are tasks from the start. */
  readonly always?: readonly string[];
  /** Names of tools that only run as tasks. */
  readonly only?: readonly string[];
  /** Milliseconds a task is kept. Default: one hour. */
  readonly ttl?: number;
}
