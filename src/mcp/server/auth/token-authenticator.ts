import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Access } from '../caller.ts';
import type { Authenticator } from '../http/http-options.ts';

/** A client with access: the hash of its token, and its rights. */
export interface KnownToken {
  /** The holder's name, for logs. */
  readonly name: string;
  /** As returned by `hashToken`. */
  readonly hash: string;
  readonly access: Access;
}

const CHALLENGE = 'Bearer realm="pegboard"';

/** Authenticates clients by these tokens. */
export function createTokenAuthenticator(tokens: readonly KnownToken[]): Authenticator {
  return {
    authenticate(request) {
      const token = readBearer(request);
      const refuse = (message: string, detail = '') =>
        ({ status: 401, message, wwwAuthenticate: CHALLENGE + detail }) as const;
      if (token === undefined) return refuse('A token is needed: send the header Authorization: Bearer TOKEN.');
      const hash = hashToken(token);
      let found: KnownToken | undefined;
      // Compares all, so that the time reveals nothing.
      for (const known of tokens) if (isSameHash(known.hash, hash)) found = known;
      if (found === undefined) return refuse('The token is not one of this server.', ', error="invalid_token"');
      const user = `token:${found.name}`;
      return { id: `${user}:${found.hash.slice(-12)}`, user, access: found.access };
    },
  };
}

const PREFIX = 'sha256:';

/** Shorter tokens can be guessed. */
export const LEAST_TOKEN_LENGTH = 16;

/** Returns the stored form of a token, which cannot be used as a token. */
export function hashToken(token: string): string {
  return PREFIX + createHash('sha256').update(token).digest('hex');
}

/** Compares two hashes in constant time. */
export function isSameHash(first: string, second: string): boolean {
  const [one, other] = [Buffer.from(first), Buffer.from(second)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Creates a random token. */
export function createToken(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}

/** Returns the token of `Authorization: Bearer …`. */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
}
