import type { JSONWebKeySet, JWK } from 'jose';
import { JOSEError, JWKSMultipleMatchingKeys, JWTClaimValidationFailed, JWTExpired } from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { jwtVerify, type JWTVerifyOptions } from 'jose/jwt/verify';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface JwtRules extends KeySetSource {
  readonly audience: string;
  readonly now: () => number;
}

export type VerifiedJwt =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: string };

/** Asymmetric signatures only: with a shared secret, a server that verifies tokens could also create them. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Seconds of clock skew. */
const CLOCK_TOLERANCE = 30;
const MAX_LENGTH = 16_384;
/** Milliseconds before a failed fetch of keys is repeated. */
const FAILURE_PAUSE = 3_000;

/**
 * Creates the verification of tokens: signature, issuer, audience and time.
 *
 * Keys are cached for ten minutes; a token with an unknown key refreshes them, at most every 30 seconds. Rejects if there are no keys.
 */
export function createJwtVerifier(rules: JwtRules): (token: string) => Promise<VerifiedJwt> {
  const { issuer, audience, now } = rules;
  let failure: unknown;
  let failedAt = -Infinity;
  const getKeys = async (): Promise<Response> => {
    // A failing server must not be asked for each invented token.
    if (now() - failedAt < FAILURE_PAUSE) throw failure;
    try {
      return Response.json(await fetchKeySet(rules));
    } catch (error) {
      failedAt = now();
      // A separate error, which the key set passes through unchanged.
      throw (failure = new Error(messageOf(error), { cause: error }));
    }
  };
  // The address is only a name: `getKeys` finds the keys each time, because an issuer may move them.
  const keys = createRemoteJWKSet(new URL(rules.jwksUrl ?? issuer), { [customFetch]: getKeys });

  return async (token) => {
    if (token.length > MAX_LENGTH) return { ok: false, reason: NO_JWT };
    const options: JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now()),
    };
    try {
      const claims = await verifyWith(keys, token, options);
      // Without proof of the key, anyone with the token could use it, which its issuer ruled out (RFC 9449, RFC 8705).
      return claims['cnf'] === undefined ? { ok: true, claims } : { ok: false, reason: BOUND };
    } catch (error) {
      if (error === failure) throw error;
      return { ok: false, reason: explain(error) };
    }
  };
}

async function verifyWith(
  keys: ReturnType<typeof createRemoteJWKSet>,
  token: string,
  options: JWTVerifyOptions,
): Promise<Claims> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
    // The token does not name its key and several match: one of them must have signed it.
    let last: unknown = error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (reason) {
        if (reason instanceof JWTClaimValidationFailed || reason instanceof JWTExpired) throw reason;
        last = reason;
      }
    }
    throw last;
  }
}

const NO_JWT = 'it is no JWT';
const BOUND = 'it is bound to a key (cnf), and this server takes bearer tokens only';
const UNSIGNED = "none of the issuer's keys signed it";

const CLAIMS: Readonly<Record<string, string>> = {
  iss: 'another issuer made it',
  aud: 'it is for another server',
  exp: 'it has expired',
  nbf: 'it is not valid yet',
};

const CODES: Readonly<Record<string, string>> = {
  ERR_JWS_INVALID: NO_JWT,
  ERR_JWT_INVALID: NO_JWT,
  ERR_JOSE_ALG_NOT_ALLOWED: `its algorithm is not one of ${ALGORITHMS.join(', ')}`,
  ERR_JOSE_NOT_SUPPORTED: 'it has critical extensions',
};

/** Explains a refused token. All other errors count as a bad signature. */
function explain(error: unknown): string {
  if (error instanceof JWTClaimValidationFailed || error instanceof JWTExpired) return CLAIMS[error.claim] ?? NO_JWT;
  return (error instanceof JOSEError ? CODES[error.code] : undefined) ?? UNSIGNED;
}

/** The source of an authorization server's keys. */
interface KeySetSource {
  readonly issuer: string;
  /** Default: the address that the issuer's metadata names. */
  readonly jwksUrl?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

const MAX_BYTES = 1024 * 1024;

/** Fetches the keys of an authorization server. Throws an `Error` that names the failing address. */
async function fetchKeySet(source: KeySetSource): Promise<JSONWebKeySet> {
  const { keys } = await getObject(source.jwksUrl ?? (await findKeySet(source)), source);
  // An invalid entry must not affect the others.
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
    // A document about another issuer must not decide about keys (RFC 8414, 3.3).
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
