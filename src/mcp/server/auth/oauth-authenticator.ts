import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Access, Caller } from '../caller.ts';
import type { Authenticator, Refusal } from '../http/http-options.ts';
import { readBearer } from './token-authenticator.ts';
import type { Claims, createJwtVerifier, VerifiedJwt } from './verify-jwt.ts';

export interface OAuthOptions {
  readonly issuer: string;
  /** Default: the address that the issuer's metadata names. */
  readonly jwksUrl?: string | undefined;
  /** The audience of tokens for this server, usually its address. */
  readonly audience: string;
  readonly requiredScopes?: readonly string[];
  /** All scopes that clients may request. */
  readonly scopes?: readonly string[];
  /** Returns the rights of scopes. */
  access(scopes: readonly string[]): Access;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

const MAX_KNOWN = 1_000;
/** Seconds after which a known token is verified again, as long as keys are cached: the issuer may have withdrawn its key. */
const KNOWN_FOR = 600;
const METADATA = '/.well-known/oauth-protected-resource';

/** Authenticates clients by tokens of an authorization server, with the rights of their scopes. */
export function createOAuthAuthenticator(options: OAuthOptions): Authenticator {
  const { issuer, audience, requiredScopes = [], scopes = requiredScopes, now = Date.now } = options;
  let verifier: ReturnType<typeof createJwtVerifier> | undefined;
  const verify = async (token: string): Promise<VerifiedJwt> => {
    // Loaded with the first token: a server without tokens does not need jose.
    const module = await import('./verify-jwt.ts');
    verifier ??= module.createJwtVerifier({ ...options, now });
    return verifier(token);
  };
  const known = new Map<string, { readonly caller: Caller; readonly until: number }>();

  const challenge = (request: IncomingMessage, detail: Readonly<Record<string, string>>): string =>
    `Bearer ${Object.entries({ resource_metadata: `${addressOf(request)}${METADATA}`, ...detail })
      .map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '')}"`)
      .join(', ')}`;
  const wanted = scopes.length === 0 ? {} : { scope: scopes.join(' ') };

  const check = async (request: IncomingMessage, token: string): Promise<Caller | Refusal> => {
    const hash = createHash('sha256').update(token).digest('base64url');
    const seconds = now() / 1000;
    const kept = known.get(hash);
    if (kept !== undefined && kept.until > seconds) return kept.caller;
    const verified = await verify(token);
    if (!verified.ok) {
      const detail = { error: 'invalid_token', error_description: verified.reason };
      return {
        status: 401,
        message: `The token was refused: ${verified.reason}.`,
        wwwAuthenticate: challenge(request, detail),
      };
    }
    const granted = readScopes(verified.claims);
    const missing = requiredScopes.filter((scope) => !granted.includes(scope));
    if (missing.length > 0) {
      const detail = { error: 'insufficient_scope', scope: requiredScopes.join(' ') };
      const message = `The token lacks the scope ${missing.join(' ')}. Ask for it and try again.`;
      return { status: 403, message, wwwAuthenticate: challenge(request, detail) };
    }
    const { sub, client_id: client, exp } = verified.claims;
    // Tokens without a client and a user have nothing in common.
    const who = sub === undefined && client === undefined ? [issuer, 'token', hash] : [issuer, sub, client];
    const id = `oauth:${JSON.stringify(who)}`;
    const user = sub === undefined ? id : `oauth:${JSON.stringify([issuer, sub])}`;
    const caller: Caller = { id, user, access: options.access(granted) };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(hash, { caller, until: Math.min(Number(exp), seconds + KNOWN_FOR) });
    return caller;
  };

  return {
    authenticate(request) {
      const token = readBearer(request);
      if (token !== undefined) return check(request, token);
      const message = `A token of ${issuer} is needed: send the header Authorization: Bearer TOKEN.`;
      return { status: 401, message, wwwAuthenticate: challenge(request, wanted) };
    },
    metadata: () => ({
      resource: audience,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    }),
  };
}

function readScopes({ scope, scp }: Claims): readonly string[] {
  if (typeof scope === 'string') return scope.split(' ').filter((name) => name !== '');
  const listed = Array.isArray(scp) ? scp : typeof scp === 'string' ? scp.split(' ') : [];
  return listed.filter((name): name is string => typeof name === 'string');
}

/** The server's address for clients, also behind a proxy. */
function addressOf({ headers, socket }: IncomingMessage): string {
  const forwarded = headers['x-forwarded-proto'];
  const isSecure = forwarded === 'https' || 'encrypted' in socket;
  return `${isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}`;
}
