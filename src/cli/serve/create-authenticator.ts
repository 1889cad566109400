import { createHash } from 'node:crypto';
import { ToolError } from '../../core/tool-error.ts';
import type { Authenticator } from '../../mcp/server/http/http-options.ts';
import type { KnownToken } from '../../mcp/server/auth/token-authenticator.ts';
import { type ServeSection, toAccess } from './serve-settings.ts';

const LEAST_LENGTH = 16;

/** Makes the check of who may come in: tokens, an authorization server, or nothing where only this machine is served. */
export async function createAuthenticator(
  { token, tokens = [], oauth }: ServeSection,
  given: string | undefined,
): Promise<Authenticator | undefined> {
  if (oauth !== undefined) {
    if (token !== undefined || given !== undefined || tokens.length > 0) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: 'serve.oauth and tokens of our own do not go together. Remove one of them.',
      });
    }
    return createOAuth(oauth);
  }
  const [{ createTokenAuthenticator }, { hashToken }] = await Promise.all([
    import('../../mcp/server/auth/token-authenticator.ts'),
    import('../../mcp/server/auth/token-hash.ts'),
  ]);
  const plain = [given, token].flatMap((text) => (text === undefined || text === '' ? [] : [text]));
  const short = plain.find((text) => text.length < LEAST_LENGTH);
  if (short !== undefined) {
    throw new ToolError({
      code: 'invalid_arguments',
      message: `The token has ${short.length} characters, which can be guessed; ${LEAST_LENGTH} is the least. Make one with: pegboard serve --new-token`,
    });
  }
  const known: KnownToken[] = [
    ...plain.map((text) => ({ name: 'token', hash: hashToken(text), access: toAccess('', undefined) })),
    ...tokens.map(({ name, hash, allow }) => ({ name, hash, access: toAccess(hash, allow) })),
  ];
  return known.length === 0 ? undefined : createTokenAuthenticator(known);
}

async function createOAuth(oauth: NonNullable<ServeSection['oauth']>): Promise<Authenticator> {
  const { createOAuthAuthenticator } = await import('../../mcp/server/auth/oauth-authenticator.ts');
  const { issuer, jwksUrl, audience, requiredScopes = [], scopes } = oauth;
  return createOAuthAuthenticator({
    issuer,
    jwksUrl,
    audience,
    requiredScopes,
    scopes: [...new Set([...requiredScopes, ...Object.keys(scopes ?? {})])],
    access(granted) {
      if (scopes === undefined) return toAccess('', undefined);
      const known = granted.filter((scope) => Object.hasOwn(scopes, scope)).toSorted();
      const key = createHash('sha256').update(known.join(' ')).digest('base64url');
      return toAccess(
        `scopes:${key}`,
        known.flatMap((scope) => scopes[scope] ?? []),
      );
    },
  });
}
