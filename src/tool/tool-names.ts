import { sourceOf, type ToolMetadata } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** Names of a tool other than its name on the board. */
export interface OtherNames {
  /** The server that runs it, as the config names it. */
  readonly server?: string;
  /** Its name on its server, and the names it would have here if they were free. */
  readonly given: readonly string[];
  /** Names that the board joined from two parts: its name, and the one it would have without a custom prefix. */
  readonly joined?: readonly JoinedName[];
  /** The names that a board with other tools gives it with the same config. */
  readonly locked?: readonly string[];
}

/** A joined name: the server's part and the tool's. */
export type JoinedName = readonly [server: string, tool: string];

/** The separator between the two parts. */
export const JOINT = '__';

/** Names of the tools that find, call and read for others: their calls contain input for other tools. */
export const META_TOOL_NAMES: ReadonlySet<string> = new Set([
  'search_tools',
  'describe_tool',
  'run_code',
  'call_tool',
  'climax_search',
  'climax_call',
  'output_read',
  'output_search',
]);

/** Marks the names. A symbol, so that no file or server can claim names for a tool. */
const NAMES: unique symbol = Symbol.for('pegboard.names');

type Named = Pick<Tool, 'metadata'>;

export function withNames<M extends Partial<ToolMetadata>>(metadata: M, names: OtherNames): M {
  return { ...metadata, [NAMES]: names };
}

/**
 * Lists the names by which restricting rules match a tool: `deny`, required approvals, argument limits.
 *
 * These are all its names: a server cannot escape a rule by making another server's tool change its name.
 */
export function restrictingNames({ metadata }: Named): readonly string[] {
  const { name, aliases = [] } = metadata;
  const other = otherNames(metadata);
  if (other === undefined) return aliases.length === 0 ? [name] : [name, ...aliases];
  return [...new Set([name, ...aliases, ...other.given])];
}

/**
 * Lists the names by which permitting rules match a tool: `allow`, waived approvals, rights of tokens, tools of agents.
 *
 * These are its name on the board and the one joined from server and tool, which no other tool could take.
 */
export function permittingNames({ metadata }: Named): readonly string[] {
  const { joined = [] } = otherNames(metadata) ?? {};
  const { name } = metadata;
  return joined.length === 0 ? [name] : [...new Set([name, ...joined.map((parts) => parts.join(JOINT))])];
}

/** Lists the names under which a lock may contain this tool without a config change. Another tool may have had them too. */
export function lockedNames({ metadata }: Named): readonly string[] {
  return otherNames(metadata)?.locked ?? [];
}

/** Lists the permitting names that the board joined. */
export function joinedNames({ metadata }: Named): readonly JoinedName[] {
  return otherNames(metadata)?.joined ?? [];
}

/** Lists the sources by which restricting rules match a tool: the file that names it and the server that runs it. */
export function restrictingSources({ metadata }: Named): readonly string[] {
  const server = otherNames(metadata)?.server;
  return server === undefined ? [sourceOf(metadata)] : [sourceOf(metadata), server];
}

function otherNames(metadata: ToolMetadata): OtherNames | undefined {
  // Only `withNames` writes this symbol.
  return NAMES in metadata ? (metadata[NAMES] as OtherNames) : undefined;
}
