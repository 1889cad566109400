import type { PackagePin, PluginPins, QueryPins, ReadLockFile } from '../../guard/lock/lock-file.ts';
import type { BoardPlaces } from '../../guard/policy/board-places.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { LockMode } from '../loaded-file.ts';

/** A tool that is being added to the board. */
export interface ToolOffer {
  readonly tool: Tool;
  /** Its source in the lock, such as `mcp files/read_file`. */
  readonly origin: string;
  /** The reaction when the tool differs from the lock, if its source decides that. Default: as the files say. */
  readonly lock?: LockMode | undefined;
  /** @internal The MCP server that runs it. */
  readonly server?: SharedServer | undefined;
}

/** A tool that is not on the board. */
export interface WantedTool {
  readonly name: string;
  /** The servers that it needs, if an entry of the files has that name. */
  readonly servers?: ReadonlySet<string> | undefined;
}

/** The instructions of an MCP server. */
export interface ServerInstructions {
  readonly text: string;
  /** The text for clients. */
  readonly shown: string;
  /** The reaction when they differ from the lock. Default: as the files say. */
  readonly lock: LockMode | undefined;
}

/** The prompts and resources of an MCP server, as it lists them. */
export interface ServerOfferList {
  readonly items: {
    readonly prompts: readonly { readonly name: string }[];
    readonly resources: readonly { readonly uri: string }[];
    readonly templates: readonly { readonly uriTemplate: string }[];
  };
  /** The reaction when they differ from the lock. Default: as the files say. */
  readonly lock: LockMode | undefined;
}

/** The package that an MCP server is started from. */
interface ServerPackage {
  readonly pin: PackagePin;
  /** The reaction when it differs from the lock. Default: as the files say. */
  readonly lock: LockMode | undefined;
}

/** Texts of a board that the lock pins in addition to its tools. */
export interface PinnedTexts {
  /** The plugins that the files name. */
  readonly plugins: () => PluginPins;
  /** By the name of the server. */
  readonly instructions: ReadonlyMap<string, ServerInstructions>;
  /** By the name of the server. */
  readonly offers: ReadonlyMap<string, ServerOfferList>;
  /** By the name of the server. */
  readonly packages: ReadonlyMap<string, ServerPackage>;
  /** Queries that models wrote for tools. */
  readonly queries: QueryPins;
}

/** The source of a tool; both parts are `undefined` for a tool of code. */
interface ToolOrigin {
  /** The file entry that defines it. */
  readonly entry: ToolEntry | undefined;
  /** The MCP server that runs it. */
  readonly server: SharedServer | undefined;
}

/**
 * The list of tools of a board. Features receive it in each phase while it is being composed; once complete, it becomes the board's list.
 * Features keep data about a list in a `WeakMap`, so that a list that is never completed leaves nothing behind.
 */
export interface ToolList {
  /** Returns the source of a tool, by its name. */
  originOf(tool: Tool): ToolOrigin;
  /** Returns true while a matching tool may still be added, for example by a server that has not answered. */
  mayCome(pick: unknown): boolean;
  /** Describes what a tool consists of as plain data without secrets: its definition, entry and server. */
  definitionOf(tool: Tool): unknown;
  /** The entries of the files. */
  readonly entries: readonly ToolEntry[];
  /** Texts about sources of tools, by source. */
  readonly about: ReadonlyMap<string, string>;
  /** The folder of the board, which contains its lock. */
  readonly home: string;
  /** The files, folders and globs of the board, as given. */
  readonly given: readonly string[];
  /** Reads the lock as a person accepted it, on a board whose changes wait. Default: as it is on disk. */
  readonly readLock?: ReadLockFile | undefined;
  readonly pins: PinnedTexts;
  /** Adds diagnostics about the list. */
  report(...diagnostics: readonly Diagnostic[]): void;
  /** The files and folders of the board that its tools must not access. */
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
