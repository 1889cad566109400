import { type CallClient, OWNER_KEY, RIGHTS_KEY } from '../../tool/calls/call-owner.ts';
import type { OfferPlace } from '../../tool/offers.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';

/** The tools that a caller may see and call. */
export interface Access {
  /** Equal for callers with the same rights: the server caches a list for each. */
  readonly key: string;
  /** Returns true when the caller may call the tool with this risk. Default: any risk. */
  allows(tool: Tool, risk?: ToolRisk): boolean;
  /** Returns true when the caller may use a prompt or resource of a file or MCP server. Default: all with an empty `key`, otherwise none. */
  allowsOffer?(place: OfferPlace): boolean;
  /** True when the caller sees the calls of all callers in the board's record. Default: its own alone. */
  readonly seesAllCalls?: boolean | undefined;
}

/** Returns true when a caller with these rights may use a prompt or a resource. */
export function mayUseOffer(access: Access, place: OfferPlace): boolean {
  return access.allowsOffer?.(place) ?? access.key === '';
}

/** The sender of requests. */
export interface Caller {
  /** Distinguishes callers; sessions and tasks belong to one. Empty if callers are not identified. */
  readonly id: string;
  /** The person or program, the same for all its tokens and clients. Default: the `id`. */
  readonly user?: string;
  readonly access: Access;
  /** True when the caller could be any process that reaches the server: it may not approve destructive calls. */
  readonly isAnonymous?: boolean;
  /** True when each of its clients has a share of the limits, so that one that makes many calls leaves room for the others. */
  readonly sharesAlone?: boolean;
  /** The address of the pages on which users log in to other servers. Default: no pages. */
  readonly loginPages?: string;
  /** The token of an authorization server that authenticated the caller. */
  readonly subjectToken?: () => string;
}

/** The user who started the board: unrestricted, without a name. */
export const LOCAL_USER: Caller = { id: '', access: { key: '', allows: () => true } };

/** A caller over HTTP without a token: unrestricted, and possibly any process of this machine. */
export const ANONYMOUS: Caller = { ...LOCAL_USER, isAnonymous: true };

const ANONYMOUS_KEY = 'pegboard.mcp.anonymous';

/** Returns the metadata of a caller's calls: owner, session and rights. */
export function callerMetadata({ id, access, isAnonymous }: Caller, sessionId: string): Record<string, unknown> {
  const metadata: Record<string, unknown> = { sessionId, [OWNER_KEY]: id };
  if (access.key !== '') metadata[RIGHTS_KEY] = access.key;
  if (isAnonymous === true) metadata[ANONYMOUS_KEY] = true;
  return metadata;
}

/** Returns the facts about a caller's client that its calls share. */
export function toCallClient(
  caller: Caller,
  session: string,
  client: Pick<CallClient, 'via' | 'ended' | 'roots' | 'app' | 'span' | 'person' | 'model'>,
): CallClient {
  const { id, user = id, access, loginPages, subjectToken, sharesAlone } = caller;
  // Unrestricted callers need no tool filter.
  const mayUse = access.key === '' ? undefined : access.allows.bind(access);
  const sharer = sharesAlone === true ? session : undefined;
  return { ...client, user, session, sharer, mayUse, loginPages, subjectToken };
}

/** Returns true for a call over HTTP without a token, which any process that reaches the server could have made. */
export function isAnonymousCall(context: ToolContext): boolean {
  return context.getMeta(ANONYMOUS_KEY) === true;
}
