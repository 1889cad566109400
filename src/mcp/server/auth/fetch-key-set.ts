import type { JSONWebKeySet, JWK } from 'jose';
import { isPlainObject } from '../../../tool/json.ts';

/** The place of an authorization server's keys, and the client that fetches them. */
export interface KeySetSource {
  readonly issuer: string;
  /** The address of the key set. Default: the one that the issuer's metadata names. */
  readonly jwksUrl?: string | undefined;
  /** Default: the runtime's own. */
  readonly fetch?: typeof fetch | undefined;
}

const MAX_BYTES = 1024 * 1024;

/** Fetches the keys that an authorization server signs with. Throws an `Error` that says which address gave none. */
export async function fetchKeySet(source: KeySetSource): Promise<JSONWebKeySet> {
  const { keys } = await getObject(source.jwksUrl ?? (await findKeySet(source)), source);
  // One entry that is no key must not cost the others.
  return { keys: (Array.isArray(keys) ? keys : []).filter((key): key is JWK => isPlainObject(key)) };
}

async function findKeySet(source: KeySetSource): Promise<string> {
  const { issuer } = source;
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    ...(path === '' ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
  ];
  for (const place of places) {
    const found = await getObject(place, source).catch(() => undefined);
    const url = found?.['jwks_uri'];
    if (typeof url !== 'string') continue;
    // A document about another issuer must not say whose keys are good (RFC 8414, 3.3).
    if (found?.['issuer'] === issuer) return url;
    const named = JSON.stringify(found?.['issuer'] ?? 'no issuer');
    throw new Error(`${place} speaks for ${named}, and serve.oauth.issuer is "${issuer}". They must be the same.`);
  }
  throw new Error(`${issuer} does not say where its keys are. Set serve.oauth.jwks_url.`);
}

async function getObject(url: string, { fetch: request = fetch }: KeySetSource): Promise<Record<string, unknown>> {
  const response = await request(url, { signal: AbortSignal.timeout(5_000), redirect: 'error' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const text = await response.text();
  const data: unknown = text.length > MAX_BYTES ? undefined : JSON.parse(text);
  if (!isPlainObject(data)) throw new Error(`${url} answered with something else than a JSON object.`);
  return data;
}
