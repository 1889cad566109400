import type { JsonObject, OAuthHttp } from './oauth-http.ts';
import { OAuthFault } from './oauth-settings.ts';

/** Who gives tokens, and how it wants to be asked. */
export interface AuthorizationServer {
  /** What tokens are asked for, where it has a name. */
  readonly resource?: string | undefined;
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  /** Where codes are given that a person types elsewhere. */
  readonly deviceEndpoint: string | undefined;
  readonly registrationEndpoint: string | undefined;
  readonly issuerScopes: readonly string[];
  readonly authMethods: readonly string[];
  readonly challengeMethods: readonly string[];
  readonly takesMetadataUrl: boolean;
  readonly sendsIssuer: boolean;
  /** Whether it binds tokens to keys such as ours (DPoP). */
  readonly givesDpop: boolean;
}

/** Reads what an authorization server says about itself; `undefined` when it says nothing. Throws an `OAuthFault` for what must not be trusted. */
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
    const named = readText(found['issuer']);
    // A last slash is all that people get wrong without meaning another server.
    if (named?.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw new OAuthFault(`${place} speaks for ${named ?? 'no issuer'}, and not for ${issuer}`);
    return found;
  }
  return undefined;
}

/** A text that says something. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts of a list. */
export function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
