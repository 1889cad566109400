import { DpopKey } from '../../../platform/oauth/dpop-key.ts';
import { type OAuthIdentity, readIdentity } from '../../../platform/oauth/oauth-client.ts';
import type { StoreSpace } from '../../../platform/store/board-store.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import type { Authorization } from './discover-authorization.ts';

export interface KeptToken {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly scope: string | undefined;
  readonly issuer: string;
  /** The key to which the token is bound; `undefined` for a bearer token. */
  readonly key: DpopKey | undefined;
  readonly client: OAuthIdentity | undefined;
}

export interface AskedToken {
  readonly from: Pick<Authorization, 'issuer'>;
  readonly scope: string | undefined;
  readonly key: DpopKey | undefined;
  readonly client?: OAuthIdentity | undefined;
}

export const TOKEN_SPACE = 'oauth';

/** Returns the key of a user's token for a server. The board's own user has an empty name. */
export function tokenKey({ name, url }: { readonly name: string; readonly url: string }, user: string): string {
  // No address contains a line break, so no user name can lead to another user's token.
  return user === '' ? `token ${name} ${url}` : `token ${name} ${url}\n${user}`;
}

export function toToken(answer: JsonObject, asked: AskedToken): KeptToken {
  const { access_token: access, refresh_token: refresh, scope, token_type: type } = answer;
  const granted = typeof scope === 'string' && scope !== '' ? scope : '';
  // Requested scopes count too: requesting them again would change nothing.
  const all = [...new Set([...words(granted), ...words(asked.scope)])].join(' ');
  return {
    access: String(access),
    refresh: typeof refresh === 'string' ? refresh : undefined,
    issuer: asked.from.issuer,
    scope: all === '' ? undefined : all,
    // A server that does not bind tokens returns another type.
    key: String(type).toLowerCase() === 'dpop' ? asked.key : undefined,
    client: asked.client,
  };
}

/** Stores a token for later runs. */
export async function keepToken(space: StoreSpace, name: string, { key, ...token }: KeptToken): Promise<void> {
  await space.set(name, { ...token, ...(key === undefined ? {} : { key: key.jwk }) });
}

/** Reads a stored token; `undefined` for anything else. */
export function readToken(value: unknown): KeptToken | undefined {
  if (!isObject(value)) return undefined;
  const { access, refresh, scope, issuer, key, client } = value;
  if (typeof access !== 'string' || typeof issuer !== 'string') return undefined;
  return {
    access,
    issuer,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    scope: typeof scope === 'string' ? scope : undefined,
    key: isObject(key) ? readKey(key) : undefined,
    client: isObject(client) ? readIdentity(client) : undefined,
  };
}

/** A token without its key is refused, and another one is requested. */
export function readKey(key: JsonObject): DpopKey | undefined {
  try {
    return new DpopKey(key);
  } catch {
    return undefined;
  }
}

/** Splits a list of scopes. */
export function words(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(' ').filter((word) => word !== '');
}
