import { boundsOf } from './call-bounds.ts';
import { CLIENT, type ToolContext } from '../tool-context.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';

/** The key of a context's metadata under which a server that makes calls for its clients puts the client. */
export const OWNER_KEY = 'caller';

/** Where the rights of that caller stand, as a key that changes with them. */
export const RIGHTS_KEY = 'pegboard.rights';

/** Whose the outputs of a call are: one caller's, for as long as its rights stay. `undefined` where all are one. */
export function outputOwnerOf(context: ToolContext): string | undefined {
  const owner = ownerOf(context);
  const rights = context.getMeta(RIGHTS_KEY);
  return owner === undefined ? undefined : toOutputOwner(owner, typeof rights === 'string' ? rights : '');
}

/** The same from its parts. */
export function toOutputOwner(owner: string, rights: string): string {
  return rights === '' ? owner : JSON.stringify([owner, rights]);
}

/** On whose behalf a call is made, where callers are told apart: what it leaves behind is for them alone. */
export function ownerOf(context: ToolContext): string | undefined {
  const owner = context.getMeta(OWNER_KEY);
  return typeof owner === 'string' && owner !== '' ? owner : undefined;
}

/** A folder that a client shows, as MCP has it. */
export interface ClientRoot {
  readonly uri: string;
  readonly name?: string;
}

/** A program that makes calls, by its own account. */
export interface ClientApp {
  readonly name: string;
  readonly version?: string | undefined;
}

/** What is known of a client's request, for the span of its call. */
export interface ClientSpan {
  /** What the span is called before the name of the tool: `tools/call`. */
  readonly method: string;
  /** The trace that the client's request belongs to (W3C trace context). */
  readonly traceparent: string | undefined;
  /** By the names of the conventions. */
  readonly attributes: () => Readonly<Record<string, string | undefined>>;
}

/** The client that a call is made for, as the server that let it in knows it. */
export interface CallClient {
  /** The same for all clients of one user. Empty for the user of the board: its code, its terminal, its clients over stdio. */
  readonly user: string;
  /** Tells the client's session from others. */
  readonly session: string;
  /** What kind of client it is, in words: `MCP client`. */
  readonly via?: string | undefined;
  /** The page (MCP Apps) that makes the call, by its address; `undefined` where none is known to. */
  readonly page?: string | undefined;
  /** The client's own name and version, as it says them: no proof of anything. */
  readonly app?: (() => ClientApp | undefined) | undefined;
  /** What the span of a call that it makes says; missing where spans are not its matter. */
  readonly span?: (() => ClientSpan) | undefined;
  /** Aborts when the session is over; `undefined` where its end is not told. */
  readonly ended?: AbortSignal | undefined;
  /**
   * Whether it may use a tool, or make calls of it with a risk: bounds its calls, and what programs call for it. Default: it may use all.
   */
  readonly mayUse?: ((tool: Tool, risk?: ToolRisk) => boolean) | undefined;
  /** The folders that it shows; `undefined` for a client that shows none. */
  readonly roots?: ClientRoots | undefined;
  /** Where pages of the board are on which its user logs in at other servers; `undefined` where the board has none. */
  readonly loginPages?: string | undefined;
  /** What the user showed to be let in, where an authorization server made it: it can be exchanged for tokens of other servers. */
  readonly subjectToken?: (() => string) | undefined;
}

/** The folders that a client shows. */
interface ClientRoots {
  /** Whether the client is on this machine and its folders are those of the user who started the board. */
  readonly isLocal: boolean;
  /** Asks the client. Throws where it will call again with the answer. */
  list(): Promise<readonly ClientRoot[]>;
}

/**
 * The client that a call is made for. Code that makes calls for others says so by `caller` and `sessionId` in the context;
 * what let in a client of its own says it with `withClient`, which no metadata overrides.
 */
export function clientOf(context: ToolContext): CallClient {
  // Only `putClient` writes under this key.
  const client = context[CLIENT] as CallClient | undefined;
  if (client !== undefined) return client;
  const session = context.getMeta('sessionId');
  return { user: ownerOf(context) ?? '', session: typeof session === 'string' ? session : '' };
}

/** Who made a call, in words: `agent a → b`, `MCP client`, `inspector`, `app ui://… in MCP client`, `code`. */
export function describeCaller(context: ToolContext): string {
  const { via = 'code', page } = clientOf(context);
  return boundsOf(context)?.caller ?? (page === undefined ? via : `app ${page} in ${via}`);
}

/** The same metadata for calls that a page (MCP Apps) makes, which the client shows. */
export function withPage(metadata: Readonly<Record<string, unknown>>, page: string): Readonly<Record<string, unknown>> {
  // Only `putClient` writes under this key.
  const { [CLIENT]: client } = metadata as { readonly [CLIENT]?: CallClient };
  return withClient(metadata, { user: '', session: '', ...client, page });
}

/** Says in metadata that is being made which client its calls are for, as `withClient` does. */
export function putClient(metadata: Record<string, unknown>, client: CallClient): void {
  // Metadata may have any key; this one is read above.
  (metadata as { [CLIENT]?: CallClient })[CLIENT] = client;
}

/** Metadata for the calls of a client. They keep it, in all that runs below them. */
export function withClient(
  metadata: Readonly<Record<string, unknown>>,
  client: CallClient,
): Readonly<Record<string, unknown>> {
  const own = { ...metadata };
  putClient(own, client);
  return own;
}
