import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Access } from '../caller.ts';
import type { Authenticator } from '../http/http-options.ts';

/** A client that may come in: what is kept of its token, and what it may use. */
export interface KnownToken {
  /** The holder's name; shown in logs. */
  readonly name: string;
  /** As `hashToken` gives it. */
  readonly hash: string;
  readonly access: Access;
}

const CHALLENGE = 'Bearer realm="pegboard"';

/** Lets in clients that show one of these tokens. */
export function createTokenAuthenticator(tokens: readonly KnownToken[]): Authenticator {
  return {
    authenticate(request) {
      const token = readBearer(request);
      const refuse = (message: string, detail = '') =>
        ({ status: 401, message, wwwAuthenticate: CHALLENGE + detail }) as const;
      if (token === undefined) return refuse('A token is needed: send the header Authorization: Bearer TOKEN.');
      const hash = hashToken(token);
      let found: KnownToken | undefined;
      // All are compared, so that the time does not tell which came close.
      for (const known of tokens) if (isSameHash(known.hash, hash)) found = known;
      if (found === undefined) return refuse('The token is not one of this server.', ', error="invalid_token"');
      const user = `token:${found.name}`;
      return { id: `${user}:${found.hash.slice(-12)}`, user, access: found.access };
    },
  };
}

const PREFIX = 'sha256:';

/** Characters that a token needs at least: fewer can be guessed. */
export const LEAST_TOKEN_LENGTH = 16;

/** Returns the stored form of a token: enough to recognise it, not enough to use it. */
export function hashToken(token: string): string {
  return PREFIX + createHash('sha256').update(token).digest('hex');
}

/** Compares two hashes in a time that does not tell how alike they are. */
export function isSameHash(first: string, second: string): boolean {
  const [one, other] = [Buffer.from(first), Buffer.from(second)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Makes a token of random bytes, too long to guess. */
export function createToken(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}

/** The token of a request's `Authorization: Bearer …`; `undefined` when there is none. */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
}
