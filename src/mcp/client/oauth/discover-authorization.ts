import type { JsonObject } from '../transports/wire-message.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { OAuthFault } from './oauth-settings.ts';
import type { Challenge } from './parse-challenge.ts';

/** Who gives tokens for a server, and which. */
export interface Authorization {
  /** What tokens are asked for: the server, as it names itself. */
  readonly resource: string;
  /** Scopes the server knows. */
  readonly scopes: readonly string[] | undefined;
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  readonly issuerScopes: readonly string[];
  readonly authMethods: readonly string[];
  readonly challengeMethods: readonly string[];
  readonly takesMetadataUrl: boolean;
  readonly sendsIssuer: boolean;
  /** Whether it binds tokens to keys such as ours (DPoP). */
  readonly givesDpop: boolean;
  /** Whether the server says that it takes only such tokens. */
  readonly needsDpop: boolean;
}

/** Finds out who gives tokens for a server; `undefined` when neither the server nor its metadata says so. Throws an `OAuthFault` for what must not be trusted. */
export async function discoverAuthorization(
  http: OAuthHttp,
  server: string,
  challenge: Challenge,
): Promise<Authorization | undefined> {
  const { origin, pathname } = new URL(server);
  const resource = await readResource(http, server, challenge);
  const servers = resource === undefined ? [] : texts(resource['authorization_servers']);
  // Before there were documents about resources, the server's own origin gave the tokens.
  const issuer = servers[0] ?? origin;
  const metadata = await readIssuer(http, issuer);
  if (metadata === undefined) {
    if (resource === undefined) return undefined;
    throw new OAuthFault(`its authorization server ${issuer} does not describe itself`);
  }
  const tokenEndpoint = text(metadata['token_endpoint']);
  if (tokenEndpoint === undefined) throw new OAuthFault(`its authorization server ${issuer} names no token_endpoint`);
  return {
    resource: text(resource?.['resource']) ?? origin + (pathname === '/' ? '' : pathname),
    scopes: resource?.['scopes_supported'] === undefined ? undefined : texts(resource['scopes_supported']),
    issuer: text(metadata['issuer']) ?? issuer,
    authorizationEndpoint: text(metadata['authorization_endpoint']),
    tokenEndpoint,
    registrationEndpoint: text(metadata['registration_endpoint']),
    issuerScopes: texts(metadata['scopes_supported']),
    authMethods: texts(metadata['token_endpoint_auth_methods_supported']),
    challengeMethods: texts(metadata['code_challenge_methods_supported']),
    takesMetadataUrl: metadata['client_id_metadata_document_supported'] === true,
    sendsIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
    givesDpop: texts(metadata['dpop_signing_alg_values_supported']).includes('ES256'),
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
    const named = text(found['resource']);
    if (named === undefined || !covers(named, server))
      throw new OAuthFault(`${place} speaks of ${named ?? 'no resource'}, which is another server`);
    return found;
  }
  return undefined;
}

/** Whether a resource is the server, or a folder it is in. */
function covers(resource: string, server: string): boolean {
  const named = URL.parse(resource);
  const { origin, pathname } = new URL(server);
  return named?.origin === origin && `${pathname}/`.startsWith(named.pathname.replace(/\/?$/, '/'));
}

async function readIssuer(http: OAuthHttp, issuer: string): Promise<JsonObject | undefined> {
  const url = URL.parse(issuer);
  if (url === null) throw new OAuthFault(`it names an authorization server that is no address: ${issuer}`);
  const path = url.pathname.replace(/\/$/, '');
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${url.origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const found = await http.read(place);
    if (found === undefined) continue;
    const named = text(found['issuer']);
    // A last slash is all that people get wrong without meaning another server.
    if (named?.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw new OAuthFault(`${place} speaks for ${named ?? 'no issuer'}, and not for ${issuer}`);
    return found;
  }
  return undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
