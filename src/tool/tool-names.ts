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
  /** Its names that the board joined from these two parts: the one it has, and the one it would have without a prefix of people's. */
  readonly joined?: readonly JoinedName[];
  /** The names that boards give it under this very config, now with other tools beside it or in earlier versions. */
  readonly locked?: readonly string[];
}

/** A name that the board made: the server's part, and the tool's. */
export type JoinedName = readonly [server: string, tool: string];

/** What a board puts between the two parts. */
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
  const { old, joined = [] } = otherNames(metadata) ?? { old: [] };
  const { name } = metadata;
  if (old.length === 0 && joined.length === 0) return [name];
  return [...new Set([name, ...joined.map((parts) => parts.join(JOINT)), ...old])];
}

/** The names that this very tool had on boards of earlier versions. */
export function oldNames({ metadata }: Named): readonly string[] {
  return otherNames(metadata)?.old ?? [];
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

/** Finds tools by names that they had on boards of earlier versions. A tool that has such a name now goes first: look for that before. */
export function findByOldName<T extends Named>(tools: Iterable<T>): (name: string) => T | undefined {
  const found = new Map<string, T | undefined>();
  for (const tool of tools) {
    // A name that two tools had means neither.
    for (const name of oldNames(tool)) found.set(name, found.has(name) ? undefined : tool);
  }
  return (name) => found.get(name);
}

/** Says what a tool is called now that was asked for by the name of an earlier version. */
export function explainOldName(old: string, { metadata }: Named): string {
  return `${JSON.stringify(old)} is called ${JSON.stringify(metadata.name)} now. Write that name.`;
}

const told = new Set<string>();

/** Tells people on stderr that a call used an old name: once for each name. */
export function tellOldName(old: string, tool: Named): void {
  if (told.has(old)) return;
  told.add(old);
  process.emitWarning(`The tool ${explainOldName(old, tool)}`, 'PegboardNameWarning');
}

function otherNames(metadata: ToolMetadata): OtherNames | undefined {
  // Only `withNames` writes under this symbol.
  return NAMES in metadata ? (metadata[NAMES] as OtherNames) : undefined;
}
