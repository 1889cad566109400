import type { ToolRisk } from '../../tool/tool-metadata.ts';

/** What a board says about one tool of a server. Times are milliseconds. */
export interface ToolOverride {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly risk?: ToolRisk | undefined;
  /** The arguments that are paths. */
  readonly paths?: readonly string[] | undefined;
  readonly timeout?: number | undefined;
  readonly maxOutput?: number | undefined;
  /** Bytes. */
  readonly maxMedia?: number | undefined;
}

/** Which tools of a server are on the board, and as what. */
export interface ServerRules extends Omit<ToolOverride, 'name' | 'title' | 'description'> {
  /** What the names of its tools begin with. */
  readonly prefix: string;
  /** Whether people wrote the prefix. */
  readonly isPrefixWritten: boolean;
  /** What the board puts before a name by itself, such as `memory__`. */
  readonly madePrefix: string;
  /** Globs; all when there are none. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[];
  /** Whether what the server says about the risk of its tools is believed; not, where nothing is said. */
  readonly trustHints: boolean | undefined;
  /** Whether models get hidden characters of its words and results. */
  readonly keepsHidden: boolean;
  /** Whether what the server says about itself as a whole is told to the clients of the board. */
  readonly tellsInstructions: boolean;
  /** Tells which of its prompts are on the board, by their names on the server. */
  offersPrompt(name: string): boolean;
  /** Tells which of its resources are on the board, by their addresses on the server. */
  offersResource(uri: string): boolean;
  /** By the name on the server. */
  readonly tools: ReadonlyMap<string, ToolOverride>;
}
