import { sourceOf, type ToolMetadata } from './tool-metadata.ts';
import type { Tool } from './tool.ts';

/** What a tool is called besides its name on the board. */
export interface OtherNames {
  /** The server that runs it, as its config calls it. */
  readonly server?: string;
  /** What its server calls it, and what it would be called here if that name were free. */
  readonly given: readonly string[];
  /** Names that this very tool had on boards of earlier versions, and that no other tool of the board can have. */
  readonly old: readonly string[];
}

/** Marks the names. A symbol, so that no file and no server can claim names for a tool. */
const NAMES: unique symbol = Symbol.for('pegboard.names');

type Named = Pick<Tool, 'metadata'>;

/** Adds what a tool is called elsewhere to its metadata. */
export function withNames<M extends Partial<ToolMetadata>>(metadata: M, names: OtherNames): M {
  return { ...metadata, [NAMES]: names };
}

/**
 * The names by which a rule that restricts finds a tool: `deny`, approvals that are asked for, limits of arguments.
 *
 * They are all it was ever called: a server cannot shake off a rule by making another one's tool change its name.
 */
export function restrictingNames({ metadata }: Named): readonly string[] {
  const { name, aliases = [] } = metadata;
  const other = otherNames(metadata);
  if (other === undefined) return aliases.length === 0 ? [name] : [name, ...aliases];
  return [...new Set([name, ...aliases, ...other.given, ...other.old])];
}

/**
 * The names by which a rule that permits finds a tool: `allow`, approvals that are waived, rights of tokens, tools of agents.
 *
 * They are its name on the board and what the same server's tool was called earlier: nothing that another tool could take.
 */
export function permittingNames({ metadata }: Named): readonly string[] {
  const old = otherNames(metadata)?.old ?? [];
  return old.length === 0 ? [metadata.name] : [metadata.name, ...old];
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
