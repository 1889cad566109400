import { DpopKey } from '../../../platform/oauth/dpop-key.ts';
import type { OAuthIdentity } from '../../../platform/oauth/oauth-client.ts';
import type { StoreSpace } from '../../../platform/store/board-store.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import type { Authorization } from './discover-authorization.ts';

/** A token of a server, as it is used and kept. */
export interface KeptToken {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly scope: string | undefined;
  readonly issuer: string;
  /** The key it is bound to; none for one that anyone who has it may use. */
  readonly key: DpopKey | undefined;
  /** The client that it was given to, where that is not the only one here. */
  readonly client: OAuthIdentity | undefined;
}

/** The parameters of a token request. */
export interface AskedToken {
  readonly from: Pick<Authorization, 'issuer'>;
  readonly scope: string | undefined;
  readonly key: DpopKey | undefined;
  readonly client?: OAuthIdentity | undefined;
}

/** The space of the store that tokens are in. */
export const TOKEN_SPACE = 'oauth';

/** Returns the key of a user's token for a server. The user of the board has an empty name. */
export function tokenKey({ name, url }: { readonly name: string; readonly url: string }, user: string): string {
  // No address has a line break in it: no user can be named so that another's token is found.
  return user === '' ? `token ${name} ${url}` : `token ${name} ${url}\n${user}`;
}

/** Reads the answer of an authorization server. */
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
    // A server that binds no tokens says so by the type.
    key: String(type).toLowerCase() === 'dpop' ? asked.key : undefined,
    client: asked.client,
  };
}

/** Keeps a token between runs. */
export async function keepToken(space: StoreSpace, name: string, { key, ...token }: KeptToken): Promise<void> {
  await space.set(name, { ...token, ...(key === undefined ? {} : { key: key.jwk }) });
}

/** Reads what is kept; `undefined` for what is no token. */
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
    client: isObject(client) ? readClient(client) : undefined,
  };
}

/** Reads a stored client identity. */
export function readClient({ id, secret, method }: JsonObject): OAuthIdentity | undefined {
  if (typeof id !== 'string') return undefined;
  return {
    id,
    secret: typeof secret === 'string' ? secret : undefined,
    method: typeof method === 'string' ? method : undefined,
  };
}

/** Without its key a token is refused, and another one asked for. */
export function readKey(key: JsonObject): DpopKey | undefined {
  try {
    return new DpopKey(key);
  } catch {
    return undefined;
  }
}

/** The scopes of a list of them. */
export function words(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(' ').filter((word) => word !== '');
}
