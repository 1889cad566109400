import { createPrivateKey, randomUUID } from 'node:crypto';
import { isPlainObject } from '../../tool/json.ts';
import type { StoreSpace } from '../store/board-store.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { DpopKey } from './dpop-key.ts';
import type { JsonObject, OAuthHttp } from './oauth-http.ts';
import { OAuthFault, type OAuthSettings } from './oauth-settings.ts';

/** The identity of a client at an authorization server. */
export interface OAuthIdentity {
  readonly id: string;
  readonly secret: string | undefined;
  /** The authentication method agreed at registration. */
  readonly method: string | undefined;
}

interface IdentityOptions {
  readonly http: OAuthHttp;
  readonly store: StoreSpace;
  readonly settings: OAuthSettings;
  readonly redirectUri: string | undefined;
  /** The key under which a new registration is stored. Default: one per authorization server. */
  readonly key?: string | undefined;
}

interface TokenRequest extends Pick<IdentityOptions, 'http'> {
  readonly settings: Pick<OAuthSettings, 'privateKey' | 'algorithm'>;
  /** The key to bind the token to; `undefined` for a bearer token. */
  readonly key: DpopKey | undefined;
  readonly fields: Readonly<Record<string, string | undefined>>;
}

/** Characters that a header can contain, up to a length that servers accept. */
const SENDABLE = /^[\x21-\x7e]{1,32768}$/;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Finds the client for an authorization server: the configured one, its metadata document, or a new registration. */
export async function findIdentity(from: AuthorizationServer, options: IdentityOptions): Promise<OAuthIdentity> {
  const { http, store, settings, redirectUri } = options;
  const { clientId, clientSecret, clientMetadataUrl, issuer } = settings;
  if (issuer !== undefined && issuer.replace(/\/$/, '') !== from.issuer.replace(/\/$/, ''))
    throw new OAuthFault(`its authorization server is ${from.issuer} now, and oauth.issuer says ${issuer}`);
  if (clientId !== undefined) {
    if (clientSecret !== undefined && issuer === undefined) await holdIssuer(from, clientId, store);
    return { id: clientId, secret: clientSecret, method: undefined };
  }
  if (from.takesMetadataUrl && clientMetadataUrl !== undefined)
    return { id: clientMetadataUrl, secret: undefined, method: 'none' };
  const key = options.key ?? `client ${from.issuer}`;
  const known = await store.get(key);
  const isSame = redirectUri === undefined || (isPlainObject(known) && known['redirectUri'] === redirectUri);
  const kept = isPlainObject(known) && isSame ? readIdentity(known) : undefined;
  if (kept !== undefined) return kept;
  if (from.registrationEndpoint === undefined || redirectUri === undefined)
    throw new OAuthFault(`${from.issuer} registers no clients. Set oauth.client_id to one that it knows`);
  const wanted = ['none', 'client_secret_basic', 'client_secret_post'];
  const method = wanted.find((name) => from.authMethods.includes(name)) ?? 'client_secret_basic';
  const body = JSON.stringify({
    client_name: 'Pegboard',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: 'native',
  });
  const answer = await http.post(from.registrationEndpoint, body, { 'content-type': 'application/json' });
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: agreed } = answer.body;
  if (answer.status >= 300 || typeof id !== 'string')
    throw new OAuthFault(`${from.issuer} did not register a client${reason(answer.body)}. Set oauth.client_id`);
  const made: OAuthIdentity = {
    id,
    secret: typeof secret === 'string' ? secret : undefined,
    method: typeof agreed === 'string' ? agreed : method,
  };
  await store.set(key, { ...made, redirectUri });
  return made;
}

/**
 * Remembers the first authorization server that receives a configured secret, and throws an `OAuthFault` for any other. Servers name
 * their own authorization server and must not be able to redirect the secret later.
 */
async function holdIssuer({ issuer, resource }: AuthorizationServer, id: string, store: StoreSpace): Promise<void> {
  // A server may change its name, but not its origin.
  const key = `issuer for ${id} at ${resource === undefined ? '' : new URL(resource).origin}`;
  const known = await store.get(key);
  if (typeof known !== 'string') await store.set(key, issuer);
  else if (known !== issuer)
    throw new OAuthFault(
      `its authorization server is ${issuer} now, and was ${known} before: it is not sent oauth.client_secret. If that is right, set oauth.issuer to it`,
    );
}

/** Requests a token. Throws an `OAuthFault` with the server's error code. */
export async function requestToken(
  from: AuthorizationServer,
  identity: OAuthIdentity,
  { http, settings, fields, key }: TokenRequest,
): Promise<JsonObject> {
  const form = new URLSearchParams(from.resource === undefined ? {} : { resource: from.resource });
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  const headers: Record<string, string> = { ...FORM };
  const { id } = identity;
  if (settings.privateKey !== undefined) {
    form.set('client_id', id);
    form.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    form.set('client_assertion', await signAssertion(id, from.issuer, settings));
  } else {
    const proof = proveClient(from, identity);
    for (const [name, value] of Object.entries(proof.fields)) form.set(name, value);
    Object.assign(headers, proof.headers);
  }
  const post = async (): ReturnType<OAuthHttp['post']> => {
    const proof = await key?.prove({ method: 'POST', url: from.tokenEndpoint });
    const proven = proof === undefined ? headers : { ...headers, dpop: proof };
    return http.post(from.tokenEndpoint, form.toString(), proven);
  };
  let answer = await post();
  key?.noteNonce(from.tokenEndpoint, answer.nonce);
  if (key !== undefined && answer.body['error'] === 'use_dpop_nonce') answer = await post();
  const { status, body } = answer;
  if (status >= 300 || typeof body['access_token'] !== 'string')
    throw new OAuthFault(`${from.issuer} gave no token${reason(body)}`, readRefusal(status, body));
  // A stored token that no request can carry would block every request, and no login could replace it.
  if (!SENDABLE.test(body['access_token']))
    throw new OAuthFault(`${from.issuer} gave a token that is too long or has characters that no request can carry`);
  return body;
}

/** Returns the fields and headers that authenticate the client: a secret in the form or a header, or only its id. */
export function proveClient(
  from: AuthorizationServer,
  identity: OAuthIdentity,
): { readonly fields: Record<string, string>; readonly headers: Record<string, string> } {
  const { id, secret } = identity;
  if (secret === undefined || identity.method === 'none') return { fields: { client_id: id }, headers: FORM };
  if (usesBody(identity, from)) return { fields: { client_id: id, client_secret: secret }, headers: FORM };
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { fields: {}, headers: { ...FORM, authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

function usesBody({ method }: OAuthIdentity, { authMethods }: AuthorizationServer): boolean {
  if (method !== undefined) return method === 'client_secret_post';
  return authMethods.includes('client_secret_post') && !authMethods.includes('client_secret_basic');
}

/** Reads a stored client; `undefined` without an id. */
export function readIdentity({ id, secret, method }: JsonObject): OAuthIdentity | undefined {
  if (typeof id !== 'string') return undefined;
  return {
    id,
    secret: typeof secret === 'string' ? secret : undefined,
    method: typeof method === 'string' ? method : undefined,
  };
}

async function signAssertion(
  id: string,
  audience: string,
  { privateKey = '', algorithm }: Pick<OAuthSettings, 'privateKey' | 'algorithm'>,
): Promise<string> {
  const { SignJWT } = await import('jose/jwt/sign');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: id, sub: id, aud: audience, jti: randomUUID(), iat: now, exp: now + 300 };
  try {
    const header = { alg: algorithm, typ: 'JWT' };
    return await new SignJWT(claims).setProtectedHeader(header).sign(createPrivateKey(privateKey));
  } catch {
    throw new OAuthFault('oauth.private_key cannot be used. It is a key in PEM that fits oauth.algorithm');
  }
}

/** Statuses of temporary failures: the server is busy or limits requests. */
const PASSING_STATUS = new Set([408, 425, 429]);
const PASSING_WORD = /^(?:temporarily_unavailable|server_error|slow_down|too_many_requests)$/;

/**
 * Classifies a failed token request. Some servers refuse with a success status. Without an error code, only 400 and 401 are refusals:
 * others may come from a proxy, and must not delete a login.
 */
function readRefusal(status: number, { error }: JsonObject): ConstructorParameters<typeof OAuthFault>[1] {
  const word = typeof error === 'string' ? error : undefined;
  const isOutage = status >= 500 || PASSING_STATUS.has(status) || PASSING_WORD.test(word ?? '');
  const isRefusal = !isOutage && (word !== undefined || status === 400 || status === 401);
  return word === undefined ? { isRefusal, isOutage } : { isRefusal, isOutage, code: word };
}

/** Returns only the error code: the rest of the response may contain secrets. */
export function reason({ error }: JsonObject): string {
  return typeof error === 'string' ? ` (${error.replaceAll(/[^\w.-]/g, '').slice(0, 60)})` : '';
}
