import type { JsonObject, OAuthHttp } from './oauth-http.ts';
import { OAuthFault } from './oauth-settings.ts';

/** The endpoints and abilities of an authorization server. */
export interface AuthorizationServer {
  /** The resource to request tokens for, if it has a name. */
  readonly resource?: string | undefined;
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  /** The endpoint for codes that a person types on another device. */
  readonly deviceEndpoint: string | undefined;
  readonly registrationEndpoint: string | undefined;
  readonly issuerScopes: readonly string[];
  readonly authMethods: readonly string[];
  readonly challengeMethods: readonly string[];
  readonly takesMetadataUrl: boolean;
  readonly sendsIssuer: boolean;
  /** True when it binds tokens to ES256 keys (DPoP). */
  readonly givesDpop: boolean;
}

/** Reads the metadata of an authorization server; `undefined` without any. Throws an `OAuthFault` for metadata not to be trusted. */
export async function readAuthorizationServer(
  http: OAuthHttp,
  issuer: string,
): Promise<AuthorizationServer | undefined> {
  const metadata = await readIssuer(http, issuer);
  if (metadata === undefined) return undefined;
  const tokenEndpoint = readText(metadata['token_endpoint']);
  if (tokenEndpoint === undefined) throw new OAuthFault(`its authorization server ${issuer} names no token_endpoint`);
  return {
    issuer: readText(metadata['issuer']) ?? issuer,
    authorizationEndpoint: readText(metadata['authorization_endpoint']),
    tokenEndpoint,
    deviceEndpoint: readText(metadata['device_authorization_endpoint']),
    registrationEndpoint: readText(metadata['registration_endpoint']),
    issuerScopes: readTexts(metadata['scopes_supported']),
    authMethods: readTexts(metadata['token_endpoint_auth_methods_supported']),
    challengeMethods: readTexts(metadata['code_challenge_methods_supported']),
    takesMetadataUrl: metadata['client_id_metadata_document_supported'] === true,
    sendsIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
    givesDpop: readTexts(metadata['dpop_signing_alg_values_supported']).includes('ES256'),
  };
}

async function readIssuer(http: OAuthHttp, issuer: string): Promise<JsonObject | undefined> {
  const url = URL.parse(issuer);
  if (url === null) throw new OAuthFault(`it names an authorization server with an invalid address: ${issuer}`);
  const path = url.pathname.replace(/\/$/, '');
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${url.origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const found = await http.read(place);
    if (found === undefined) continue;
    const named = readText(found['issuer']);
    // Only a different final slash is accepted: anything else may be another server.
    if (named?.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw new OAuthFault(`${place} describes ${named ?? 'no issuer'} instead of ${issuer}`);
    return found;
  }
  return undefined;
}

/** Returns a non-empty text, or `undefined`. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the texts in a list. */
export function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
