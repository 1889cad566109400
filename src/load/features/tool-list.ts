import type { BoardPlaces } from '../../guard/policy/board-places.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** The source of a tool; both parts are `undefined` for a tool of code. */
interface ToolOrigin {
  /** The entry of a file that it is made of. */
  readonly entry: ToolEntry | undefined;
  /** The MCP server that runs it. */
  readonly server: SharedServer | undefined;
}

/**
 * The list of tools of a board. Features get it in each phase while it is composed; it is the board's own once it is complete. A feature
 * that remembers something about a list does so in a `WeakMap`: a list that is never completed leaves nothing behind.
 */
export interface ToolList {
  /** Returns the source of a tool, by its name. */
  originOf(tool: Tool): ToolOrigin;
  /** True while a tool that a name, a pattern or a selector means may still be added, such as one of a server that has not answered. */
  mayCome(pick: unknown): boolean;
  /** Hashes the definition of a tool: another entry, schema or server gives another hash. */
  definitionOf(tool: Tool): string;
  /** Adds diagnostics about the list. */
  report(...diagnostics: readonly Diagnostic[]): void;
  /** The files and folders of the board that its tools keep away from. */
  readonly places: BoardPlaces;
  /** The parts of the board that kinds use. */
  readonly kindHost: KindHost;
}

/** The reason for leaving a tool out of the list. */
export interface Refusal {
  readonly reason: string;
  /** True when a caller of the tool may learn the reason. Default: false. */
  readonly isShown?: boolean;
}
