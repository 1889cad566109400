import type { Access } from '../caller.ts';
import type { Authenticator } from '../http/http-options.ts';
import { readBearer } from './read-bearer.ts';
import { hashToken, isSameHash } from './token-hash.ts';

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
