import { boundsOf } from './call-bounds.ts';
import type { AskedPerson, LentModel } from './elicitation.ts';
import { CLIENT, REQUESTS, type ToolContext } from '../tool-context.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';
import type { OutgoingRequest, StartedRequest } from './call-runtime.ts';

/** The metadata key under which a server stores the client that it makes a call for. */
export const OWNER_KEY = 'caller';

/** The metadata key for a text that changes with the rights of that caller. */
export const RIGHTS_KEY = 'pegboard.rights';

/** Returns the owner of a call's outputs: one caller with its current rights. `undefined` when callers are not distinguished. */
export function outputOwnerOf(context: ToolContext): string | undefined {
  const owner = ownerOf(context);
  const rights = context.getMeta(RIGHTS_KEY);
  return owner === undefined ? undefined : toOutputOwner(owner, typeof rights === 'string' ? rights : '');
}

/** Builds the owner of outputs from its parts. */
export function toOutputOwner(owner: string, rights: string): string {
  return rights === '' ? owner : JSON.stringify([owner, rights]);
}

/** Returns the caller that owns what a call leaves behind; `undefined` when callers are not distinguished. */
function ownerOf(context: ToolContext): string | undefined {
  const owner = context.getMeta(OWNER_KEY);
  return typeof owner === 'string' && owner !== '' ? owner : undefined;
}

/** Returns the name under which a call has its share of limits; empty for the user of the board, who needs no share. */
export function sharerOf(context: ToolContext): string {
  // Only `putClient` writes this key.
  const client = context[CLIENT] as CallClient | undefined;
  return client?.sharer ?? ownerOf(context) ?? '';
}

/** A folder that a client exposes, as MCP defines it. */
export interface ClientRoot {
  readonly uri: string;
  readonly name?: string;
}

/** The name and version that a client reports. */
export interface ClientApp {
  readonly name: string;
  readonly version?: string | undefined;
}

/** Details of a client's request for the span of its call. */
export interface ClientSpan {
  /** The prefix of the span's name: `tools/call`. */
  readonly method: string;
  /** The trace of the client's request (W3C trace context). */
  readonly traceparent: string | undefined;
  /** Attributes with the names of the conventions. */
  readonly attributes: () => Readonly<Record<string, string | undefined>>;
}

/** The client that a call is made for, as known to the server that admitted it. */
export interface CallClient {
  /** The same for all clients of one user. Empty for the user of the board: its code, terminal and stdio clients. */
  readonly user: string;
  /** Identifies the client's session. */
  readonly session: string;
  /** The name under which its calls share limits with others. Default: that of the caller. */
  readonly sharer?: string | undefined;
  /** The kind of client for people: `MCP client`. */
  readonly via?: string | undefined;
  /** The address of the MCP Apps page that makes the call, if known. */
  readonly page?: string | undefined;
  /** Returns the name and version that the client reports. They prove nothing. */
  readonly app?: (() => ClientApp | undefined) | undefined;
  /** Returns details for the span of a call. Missing when the client has none. */
  readonly span?: (() => ClientSpan) | undefined;
  /** Aborts when the session ends; `undefined` when its end is not reported. */
  readonly ended?: AbortSignal | undefined;
  /** Returns true when it may use a tool, or call it with a risk. Limits its calls and those of its programs. Default: it may use all. */
  readonly mayUse?: ((tool: Tool, risk?: ToolRisk) => boolean) | undefined;
  /** The person in front of it, if it lets servers ask them. */
  readonly person?: AskedPerson | undefined;
  /** The model that it lends to servers, if any. */
  readonly model?: LentModel | undefined;
  /** The folders it exposes, if any. */
  readonly roots?: ClientRoots | undefined;
  /** The URL of the board's pages where its user logs in to other servers, if any. */
  readonly loginPages?: string | undefined;
  /** Returns the user's token if an authorization server issued it. It can be exchanged for tokens of other servers. */
  readonly subjectToken?: (() => string) | undefined;
}

/** The folders that a client exposes. */
interface ClientRoots {
  /** True when the client is on this machine and its folders belong to the user who started the board. */
  readonly isLocal: boolean;
  /** Asks the client. Throws when the client will call again with the answer. */
  list(): Promise<readonly ClientRoot[]>;
}

/**
 * Returns the client that a call is made for. Code that calls for others sets `caller` and `sessionId` in the context. Servers set their
 * clients with `withClient`, which metadata cannot override.
 */
export function clientOf(context: ToolContext): CallClient {
  // Only `putClient` writes this key.
  const client = context[CLIENT] as CallClient | undefined;
  if (client !== undefined) return client;
  const session = context.getMeta('sessionId');
  return { user: ownerOf(context) ?? '', session: typeof session === 'string' ? session : '' };
}

/** Describes the caller of a call: `agent a → b`, `MCP client`, `inspector`, `app ui://… in MCP client`, `code`. */
export function describeCaller(context: ToolContext): string {
  const { via = 'code', page } = clientOf(context);
  return boundsOf(context)?.caller ?? (page === undefined ? via : `app ${page} in ${via}`);
}

/** Returns a copy of the metadata for calls by an MCP Apps page of the client. */
export function withPage(metadata: Readonly<Record<string, unknown>>, page: string): Readonly<Record<string, unknown>> {
  // Only `putClient` writes this key.
  const { [CLIENT]: client } = metadata as { readonly [CLIENT]?: CallClient };
  return withClient(metadata, { user: '', session: '', ...client, page });
}

/** Sets the client in metadata under construction, like `withClient`. */
export function putClient(metadata: Record<string, unknown>, client: CallClient): void {
  // Metadata may have any key.
  (metadata as { [CLIENT]?: CallClient })[CLIENT] = client;
}

/** Returns a copy of the metadata with the client that its calls are made for, including all calls below them. */
export function withClient(
  metadata: Readonly<Record<string, unknown>>,
  client: CallClient,
): Readonly<Record<string, unknown>> {
  const own = { ...metadata };
  putClient(own, client);
  return own;
}

/** The metadata key for the log level that a client wants. */
export const LOG_LEVEL_KEY = 'pegboard.logLevel';

/** Returns the lowest log level that the caller wants, by MCP's names; `undefined` if not set. */
export function logLevelOf(context: ToolContext): string | undefined {
  const level = context.getMeta(LOG_LEVEL_KEY);
  return typeof level === 'string' ? level : undefined;
}

/** Records a request of a call for its record and spans; `undefined` when neither exists. */
export function startRequest(context: ToolContext, request: OutgoingRequest): StartedRequest | undefined {
  return context[REQUESTS]?.startRequest(request);
}
