import type { ToolRisk } from '../../tool/tool-metadata.ts';

/** A board's settings for one tool of a server. Times are in milliseconds. */
export interface ToolOverride {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly risk?: ToolRisk | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly timeout?: number | undefined;
  readonly maxOutput?: number | undefined;
  /** Bytes. */
  readonly maxMedia?: number | undefined;
}

/** The selection and settings of a server's tools on the board. */
export interface ServerRules extends Omit<ToolOverride, 'name' | 'title' | 'description'> {
  readonly prefix: string;
  /** True when the config sets the prefix. */
  readonly isPrefixWritten: boolean;
  /** The board's own prefix, such as `memory__`. */
  readonly madePrefix: string;
  /** Globs. Default: all. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[];
  /** True when the server's hints about the risk of its tools are trusted. Default: false. */
  readonly trustHints: boolean | undefined;
  readonly keepsHidden: boolean;
  /** True when the server's instructions are passed to the board's clients. */
  readonly passesInstructions: boolean;
  /** True for prompts on the board, by their names on the server. */
  offersPrompt(name: string): boolean;
  /** True for resources on the board, by their addresses on the server. */
  offersResource(uri: string): boolean;
  /** By the name on the server. */
  readonly tools: ReadonlyMap<string, ToolOverride>;
}
