import {
  type AuthorizationServer,
  readAuthorizationServer,
  readText,
  readTexts,
} from '../../../platform/oauth/authorization-server.ts';
import type { JsonObject, OAuthHttp } from '../../../platform/oauth/oauth-http.ts';
import { OAuthFault } from '../../../platform/oauth/oauth-settings.ts';

/** The authorization server of an MCP server, and the tokens it issues. */
export interface Authorization extends AuthorizationServer {
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** True when the server accepts only tokens that are bound to keys. */
  readonly needsDpop: boolean;
}

/**
 * Finds the authorization server of an MCP server; `undefined` if neither the server nor its metadata names one. Throws an `OAuthFault`
 * for metadata that must not be trusted.
 */
export async function discoverAuthorization(
  http: OAuthHttp,
  server: string,
  challenge: Challenge,
): Promise<Authorization | undefined> {
  const { origin, pathname } = new URL(server);
  const resource = await readResource(http, server, challenge);
  const servers = resource === undefined ? [] : readTexts(resource['authorization_servers']);
  // Before RFC 9728, the server's own origin issued the tokens.
  const issuer = servers[0] ?? origin;
  const from = await readAuthorizationServer(http, issuer);
  if (from === undefined) {
    if (resource === undefined) return undefined;
    throw new OAuthFault(`its authorization server ${issuer} does not describe itself`);
  }
  return {
    ...from,
    resource: readText(resource?.['resource']) ?? origin + (pathname === '/' ? '' : pathname),
    scopes: resource?.['scopes_supported'] === undefined ? undefined : readTexts(resource['scopes_supported']),
    needsDpop: resource?.['dpop_bound_access_tokens_required'] === true,
  };
}

async function readResource(
  http: OAuthHttp,
  server: string,
  { resourceMetadata }: Challenge,
): Promise<JsonObject | undefined> {
  const { origin, pathname } = new URL(server);
  const known = `${origin}/.well-known/oauth-protected-resource`;
  const places =
    resourceMetadata === undefined ? [...(pathname === '/' ? [] : [known + pathname]), known] : [resourceMetadata];
  for (const place of places) {
    const found = await http.read(place);
    if (found === undefined) continue;
    const named = readText(found['resource']);
    if (named === undefined || !covers(named, server))
      throw new OAuthFault(`${place} speaks of ${named ?? 'no resource'}, which is another server`);
    return found;
  }
  return undefined;
}

/** Returns true when a resource is the server or a folder that contains it. */
function covers(resource: string, server: string): boolean {
  const named = URL.parse(resource);
  const { origin, pathname } = new URL(server);
  return named?.origin === origin && `${pathname}/`.startsWith(named.pathname.replace(/\/?$/, '/'));
}

export interface Challenge {
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly resourceMetadata: string | undefined;
  /** True when the token must be bound to a key (DPoP). */
  readonly wantsDpop: boolean;
}

/** Reads a `WWW-Authenticate` header; skips parts that are missing or unreadable. */
export function parseChallenge(header: string | readonly string[] | undefined): Challenge {
  const text = (typeof header === 'string' ? header : (header?.join(', ') ?? '')).slice(0, 8192);
  const values = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi)) {
    if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), quoted ?? plain ?? '');
  }
  return {
    error: values.get('error'),
    scope: values.get('scope') || undefined,
    resourceMetadata: values.get('resource_metadata'),
    wantsDpop: /(?:^|,)\s*DPoP(?:\s|$)/i.test(text),
  };
}
