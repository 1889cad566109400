import type { OfferPlace } from '../../tool/offers.ts';
import type { Tool } from '../../tool/tool.ts';

/** Which tools a caller may see and call. */
export interface Access {
  /** The same text for callers with the same rights: the server keeps a list ready for each. */
  readonly key: string;
  allows(tool: Tool): boolean;
  /** Which prompts and resources of files and MCP servers it may use. Default: all with an empty `key`, otherwise none. */
  allowsOffer?(place: OfferPlace): boolean;
  /** Whether it sees the calls of all callers in the board's record. Default: its own alone. */
  readonly seesAllCalls?: boolean | undefined;
}

/** Whether a caller with these rights may use a prompt or a resource. */
export function mayUseOffer(access: Access, place: OfferPlace): boolean {
  return access.allowsOffer?.(place) ?? access.key === '';
}

/** Who sends requests. */
export interface Caller {
  /** Tells callers apart; sessions and tasks belong to one. Empty where callers are not identified. */
  readonly id: string;
  /** The person or program behind it, the same whichever token or client it comes with. Default: the `id`. */
  readonly user?: string;
  readonly access: Access;
  /** Whether the caller could be any process that reaches the server: it may not approve destructive calls. */
  readonly isAnonymous?: boolean;
}

/** A caller with no name and every right: the user who started the board over stdio. */
export const LOCAL_USER: Caller = { id: '', access: { key: '', allows: () => true } };

/** A caller over HTTP where no token is needed: it has every right, and may be any process of this machine. */
export const ANONYMOUS: Caller = { ...LOCAL_USER, isAnonymous: true };
