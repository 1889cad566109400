import { createHash, randomBytes } from 'node:crypto';
import type { AuthorizationServer } from './authorization-server.ts';
import type { OAuthIdentity } from './oauth-client.ts';
import { OAuthFault, type OAuthLogin } from './oauth-settings.ts';

/** A login that started in a browser: the address to open, and the values that the answer must match. */
export interface BrowserLogin {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

/** Characters of a URL that browsers and servers accept. */
const MAX_ADDRESS = 32_768;

interface BrowserLoginOptions {
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly audience?: string | undefined;
  /** An unguessable value that the browser brings back. Default: a new one. */
  readonly state?: string | undefined;
}

/** Sends a person to the authorization server and checks the answer. */
export async function logInBrowser(
  from: AuthorizationServer,
  identity: OAuthIdentity,
  {
    login,
    scope,
    audience,
  }: { readonly login: OAuthLogin; readonly scope: string | undefined; readonly audience?: string | undefined },
): Promise<Record<string, string>> {
  const { redirectUri } = login;
  const begun = beginBrowserLogin(from, identity, { redirectUri, scope, audience });
  return readBrowserLogin(from, { ...begun, redirectUri }, await login.authorize(begun.url));
}

/** Creates the URL at the authorization server to open in a browser. Throws an `OAuthFault` without an endpoint. */
export function beginBrowserLogin(
  from: AuthorizationServer,
  identity: OAuthIdentity,
  { redirectUri, scope, audience, state = randomBytes(16).toString('base64url') }: BrowserLoginOptions,
): BrowserLogin {
  const { authorizationEndpoint, issuer } = from;
  if (authorizationEndpoint === undefined) throw new OAuthFault(`${issuer} names no authorization_endpoint`);
  if (!from.challengeMethods.includes('S256'))
    throw new OAuthFault(`${issuer} does not announce support for PKCE (S256)`);
  const url = URL.parse(authorizationEndpoint);
  // A browser opens this address, so it must be http or https.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OAuthFault(`${issuer} names an authorization_endpoint that is not a web address`);
  const verifier = randomBytes(32).toString('base64url');
  const fields = {
    response_type: 'code',
    client_id: identity.id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    ...(from.resource === undefined ? {} : { resource: from.resource }),
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  if (url.href.length > MAX_ADDRESS)
    throw new OAuthFault(
      `${issuer} names an authorization_endpoint, or gave a client_id, that is too long for a browser`,
    );
  return { url: url.href, state, verifier };
}

/** Converts the address that the browser returned to into a token request. Throws an `OAuthFault` if it does not match the login. */
export function readBrowserLogin(
  from: AuthorizationServer,
  { state, verifier, redirectUri }: Pick<BrowserLogin, 'state' | 'verifier'> & { readonly redirectUri: string },
  address: string,
): Record<string, string> {
  const { issuer } = from;
  const back = URL.parse(address)?.searchParams ?? new URLSearchParams();
  const iss = back.get('iss');
  if (back.get('state') !== state) throw new OAuthFault('the login came back with a different state');
  if (iss === null ? from.sendsIssuer : iss !== issuer)
    throw new OAuthFault(`the login came back from ${iss ?? 'an unnamed server'} instead of ${issuer}`);
  const code = back.get('code');
  if (code === null) {
    const error = (back.get('error') ?? 'no code').replaceAll(/[^\w. -]/g, '').slice(0, 60);
    throw new OAuthFault(`the login was refused (${error})`);
  }
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
}
