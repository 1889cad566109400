import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto';

// Node renames its key types between versions, so published types must not depend on them.
/** A key as JSON (RFC 7517). */
interface Jwk {
  /** The private part. */
  readonly d?: string;
  readonly [member: string]: unknown;
}

/** A request that proves that its sender has the key. */
interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  /** The token that the request carries, if any. */
  readonly access?: string | undefined;
}

/**
 * A key that tokens are bound to (DPoP, RFC 9449): without it, a stolen token is useless.
 *
 * Every request carries its own proof. A server may require a nonce in it, which it sends with a refusal.
 */
export class DpopKey {
  /** The private key, stored next to the token. */
  readonly jwk: Jwk;
  readonly #key: KeyObject;
  readonly #shown;
  readonly #nonces = new Map<string, string>();

  constructor(jwk?: Jwk) {
    this.#key =
      jwk === undefined
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        : createPrivateKey({ key: jwk, format: 'jwk' });
    this.jwk = jwk ?? this.#key.export({ format: 'jwk' });
    this.#shown = createPublicKey(this.#key).export({ format: 'jwk' });
  }

  /** Creates the proof for one request. It is invalid for any other. */
  async prove({ method, url, access }: ProvenRequest): Promise<string> {
    const { SignJWT } = await import('jose/jwt/sign');
    const { origin, pathname } = new URL(url);
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1000),
      ...(access === undefined ? {} : { ath: createHash('sha256').update(access).digest('base64url') }),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: this.#shown };
    return new SignJWT(claims).setProtectedHeader(header).sign(this.#key);
  }

  /** Stores the nonce that a server requires in later proofs, if any. */
  noteNonce(url: string, nonce: string | readonly string[] | undefined): void {
    if (typeof nonce === 'string') this.#nonces.set(new URL(url).origin, nonce);
  }
}
