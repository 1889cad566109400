import { type KeyObject, verify } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';
import type { SigningKey } from './jwks.ts';

/** What a token says about who carries it. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a token is held to. */
export interface JwtRules {
  readonly issuer: string;
  readonly audience: string;
  /** The time in seconds. */
  readonly now: number;
  findKeys(kid: string | undefined): Promise<readonly SigningKey[]>;
}

/** The outcome: what the token says, or why it is no good. */
export type VerifiedJwt =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: string };

/** Seconds that two clocks may differ. */
const LEEWAY = 30;
const MAX_LENGTH = 16_384;

interface Algorithm {
  readonly digest: string | null;
  readonly keyType: string;
  readonly curve?: string;
}

/** Signatures of two halves only: with a shared secret, whoever checks could also sign. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  RS256: { digest: 'sha256', keyType: 'rsa' },
  ES256: { digest: 'sha256', keyType: 'ec', curve: 'prime256v1' },
  EdDSA: { digest: null, keyType: 'ed25519' },
};

/** Checks a token: signature, issuer, audience and time. */
export async function verifyJwt(token: string, rules: JwtRules): Promise<VerifiedJwt> {
  const parts = token.split('.');
  const [header, claims] = parts.slice(0, 2).map(readPart);
  if (token.length > MAX_LENGTH || parts.length !== 3 || header === undefined || claims === undefined) {
    return refuse('it is no JWT');
  }
  const { alg, kid } = header;
  // Whoever signs so wants it refused by those who do not know these extensions, and none is known here.
  if (header['crit'] !== undefined) return refuse('it has critical extensions');
  const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
  if (algorithm === undefined) return refuse(`its algorithm is not one of ${Object.keys(ALGORITHMS).join(', ')}`);
  const keys = await rules.findKeys(typeof kid === 'string' ? kid : undefined);
  const content = Buffer.from(`${parts[0]}.${parts[1]}`);
  const signature = Buffer.from(parts[2] ?? '', 'base64url');
  const isSigned = keys.some(
    (key) => (key.alg ?? alg) === alg && isSignedBy(key.key, algorithm, { content, signature }),
  );
  if (!isSigned) return refuse("none of the issuer's keys signed it");
  return checkClaims(claims, rules);
}

function isSignedBy(
  key: KeyObject,
  { digest, keyType, curve }: Algorithm,
  { content, signature }: { readonly content: Buffer; readonly signature: Buffer },
): boolean {
  if (key.asymmetricKeyType !== keyType) return false;
  if (curve !== undefined && key.asymmetricKeyDetails?.namedCurve !== curve) return false;
  try {
    return verify(digest, content, keyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key, signature);
  } catch {
    return false;
  }
}

function checkClaims(claims: Claims, { issuer, audience, now }: JwtRules): VerifiedJwt {
  const { iss, aud, exp, nbf } = claims;
  if (iss !== issuer) return refuse('another issuer made it');
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(audience)) return refuse('it is for another server');
  if (typeof exp !== 'number' || exp + LEEWAY < now) return refuse('it has expired');
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf - LEEWAY > now)) return refuse('it is not valid yet');
  return { ok: true, claims };
}

function readPart(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuse(reason: string): VerifiedJwt {
  return { ok: false, reason };
}
