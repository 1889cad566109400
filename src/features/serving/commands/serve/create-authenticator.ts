import { ToolError } from '../../../../tool/tool-error.ts';
import { createOAuthAuthenticator } from '../../../../mcp/server/auth/oauth-authenticator.ts';
import {
  createTokenAuthenticator,
  hashToken,
  type KnownToken,
  LEAST_TOKEN_LENGTH,
} from '../../../../mcp/server/auth/token-authenticator.ts';
import type { Authenticator } from '../../../../mcp/server/http/http-options.ts';
import { namesTokens, type ServeSection, toAccess } from './serve-settings.ts';

/** Access settings from the command line. */
export interface AuthenticatorOptions {
  /** The token from the command line or the environment. */
  readonly token: string | undefined;
  /** Lets every local process connect: `--no-token`. */
  readonly isOpen: boolean;
  /** Returns the board's own token, for configs without tokens. */
  boardToken(): string;
}

/** Creates the authentication of clients: by tokens, by an authorization server, or none with `isOpen`. */
export function createAuthenticator(section: ServeSection, options: AuthenticatorOptions): Authenticator | undefined {
  const { token, tokens = [], oauth } = section;
  const { token: given, isOpen } = options;
  if (isOpen) {
    if (!namesTokens(section)) return undefined;
    const message =
      '--no-token cannot be used with the tokens of the config (serve.token, serve.tokens, serve.oauth). Remove one of them.';
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  if (oauth !== undefined) {
    if (token !== undefined || given !== undefined || tokens.length > 0) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: 'serve.oauth cannot be used with tokens. Remove one of them.',
      });
    }
    return createOAuth(oauth);
  }
  const named = [given, token].flatMap((text) => (text === undefined || text === '' ? [] : [text]));
  const plain = named.length === 0 && tokens.length === 0 ? [options.boardToken()] : named;
  const short = plain.find((text) => text.length < LEAST_TOKEN_LENGTH);
  if (short !== undefined) {
    throw new ToolError({
      code: 'invalid_arguments',
      message: `The token has ${short.length} characters and could be guessed. Use at least ${LEAST_TOKEN_LENGTH}. Create one with: pegboard serve --new-token`,
    });
  }
  const known: KnownToken[] = [
    ...plain.map((text) => ({ name: 'token', hash: hashToken(text), access: toAccess(undefined) })),
    ...tokens.map(({ name, hash, allow, calls }) => ({ name, hash, access: toAccess(allow, calls === 'all') })),
  ];
  return createTokenAuthenticator(known);
}

function createOAuth(oauth: NonNullable<ServeSection['oauth']>): Authenticator {
  const {
    issuer,
    jwks_url: jwksUrl,
    audience,
    required_scopes: requiredScopes = [],
    scopes,
    calls_scope: callsScope,
  } = oauth;
  return createOAuthAuthenticator({
    issuer,
    jwksUrl,
    audience,
    requiredScopes,
    scopes: [
      ...new Set([...requiredScopes, ...Object.keys(scopes ?? {}), ...(callsScope === undefined ? [] : [callsScope])]),
    ],
    access(granted) {
      const seesAll = callsScope !== undefined && granted.includes(callsScope);
      if (scopes === undefined) return toAccess(undefined, seesAll);
      const known = granted.filter((scope) => Object.hasOwn(scopes, scope)).toSorted();
      return toAccess(
        known.flatMap((scope) => scopes[scope] ?? []),
        seesAll,
      );
    },
  });
}
