import { sourceOf, type ToolMetadata } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** Names of a tool other than its name on the board. */
export interface OtherNames {
  /** The server that runs it, as its config calls it. */
  readonly server?: string;
  /** Its name on its server, and the names it would have here if they were free. */
  readonly given: readonly string[];
  /** Its names that the board joined from these two parts: the one it has, and the one it would have without a prefix of people's. */
  readonly joined?: readonly JoinedName[];
  /** The names that a board with other tools gives it under this very config. */
  readonly locked?: readonly string[];
}

/** A name that the board made: the server's part, and the tool's. */
export type JoinedName = readonly [server: string, tool: string];

/** The text that a board puts between the two parts. */
export const JOINT = '__';

/** Names of the tools that find, call and read for others: a call of one of these carries what is meant for other tools. */
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

/** Marks the names. A symbol, so that no file and no server can claim names for a tool. */
const NAMES: unique symbol = Symbol.for('pegboard.names');

type Named = Pick<Tool, 'metadata'>;

/** Adds the other names of a tool to its metadata. */
export function withNames<M extends Partial<ToolMetadata>>(metadata: M, names: OtherNames): M {
  return { ...metadata, [NAMES]: names };
}

/**
 * The names by which a rule that restricts finds a tool: `deny`, approvals that are asked for, limits of arguments.
 *
 * They are all its names: a server cannot escape a rule by making another one's tool change its name.
 */
export function restrictingNames({ metadata }: Named): readonly string[] {
  const { name, aliases = [] } = metadata;
  const other = otherNames(metadata);
  if (other === undefined) return aliases.length === 0 ? [name] : [name, ...aliases];
  return [...new Set([name, ...aliases, ...other.given])];
}

/**
 * The names by which a rule that permits finds a tool: `allow`, approvals that are waived, rights of tokens, tools of agents.
 *
 * They are its name on the board and the one that the board would join from server and tool: nothing that another tool could take.
 */
export function permittingNames({ metadata }: Named): readonly string[] {
  const { joined = [] } = otherNames(metadata) ?? {};
  const { name } = metadata;
  return joined.length === 0 ? [name] : [...new Set([name, ...joined.map((parts) => parts.join(JOINT))])];
}

/** The names under which a lock may have this very tool without a change of its config. Another tool may have had them too. */
export function lockedNames({ metadata }: Named): readonly string[] {
  return otherNames(metadata)?.locked ?? [];
}

/** Those of the names that permit which the board joined. */
export function joinedNames({ metadata }: Named): readonly JoinedName[] {
  return otherNames(metadata)?.joined ?? [];
}

/** The sources by which a rule that restricts finds a tool: the file that names it, and the server that runs it. */
export function restrictingSources({ metadata }: Named): readonly string[] {
  const server = otherNames(metadata)?.server;
  return server === undefined ? [sourceOf(metadata)] : [sourceOf(metadata), server];
}

function otherNames(metadata: ToolMetadata): OtherNames | undefined {
  // Only `withNames` writes under this symbol.
  return NAMES in metadata ? (metadata[NAMES] as OtherNames) : undefined;
}
