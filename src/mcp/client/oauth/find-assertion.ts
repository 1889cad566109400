import { readFile } from 'node:fs/promises';
import type { Authorization } from './discover-authorization.ts';
import { isObject } from '../transports/transport.ts';
import type { OAuthHttp } from '../../../platform/oauth/oauth-http.ts';
import { OAuthFault, type OAuthSettings } from '../../../platform/oauth/oauth-settings.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** Finds a signed assertion about a client or its user that replaces a login at the authorization server. */
export async function findAssertion(
  from: Authorization,
  {
    http,
    settings,
    scope,
    subject,
  }: {
    readonly http: OAuthHttp;
    readonly settings: OAuthSettings;
    readonly scope?: string | undefined;
    /** Returns the token with which the user of the call authenticated at the board. */
    readonly subject?: (() => string) | undefined;
  },
): Promise<string> {
  const { assertion, identityProvider: provider } = settings;
  if (provider === undefined) {
    const text = await readSource(assertion, 'oauth.assertion');
    if (settings.issuer !== undefined || isMadeOutTo(text, from)) return text;
    // A server names its authorization server itself and must not collect an assertion for another.
    throw new OAuthFault(`oauth.assertion is not made out to ${from.issuer}. Set oauth.issuer if it is meant for it`);
  }
  // The identity provider of the user's company decides whether this client may act for the user at this server.
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: `${TOKEN_TYPE}id-jag`,
    audience: from.issuer,
    resource: from.resource,
    ...(provider.idToken === undefined
      ? subjectOf(subject)
      : {
          subject_token: await readSource(provider.idToken, 'oauth.identity_provider.id_token'),
          subject_token_type: `${TOKEN_TYPE}id_token`,
        }),
    client_id: provider.clientId,
    ...(provider.clientSecret === undefined ? {} : { client_secret: provider.clientSecret }),
    ...(scope === undefined ? {} : { scope }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body } = await http.post(provider.tokenEndpoint, form.toString(), headers);
  const { access_token: given, issued_token_type: type, error } = body;
  if (status < 300 && typeof given === 'string' && type === `${TOKEN_TYPE}id-jag`) return given;
  // Only the code: the rest of the answer may be secret.
  const reason = typeof error === 'string' ? ` (${error.replaceAll(/[^\w.-]/g, '').slice(0, 60)})` : '';
  throw new OAuthFault(
    `the identity provider ${new URL(provider.tokenEndpoint).origin} does not vouch for it${reason}`,
  );
}

/** Returns the parameters that exchange the token of the call's user for a token of another server (RFC 8693). */
export function exchangeToken(subject: (() => string) | undefined): Record<string, string> {
  return { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', ...subjectOf(subject) };
}

function subjectOf(subject: (() => string) | undefined): Record<'subject_token' | 'subject_token_type', string> {
  if (subject === undefined)
    throw new OAuthFault('it is for users who come with a token of serve.oauth, and this caller has none to exchange');
  return { subject_token: subject(), subject_token_type: `${TOKEN_TYPE}access_token` };
}

/** Returns true when a signed assertion has the authorization server as its audience. */
function isMadeOutTo(text: string, { issuer, tokenEndpoint }: Authorization): boolean {
  try {
    const claims: unknown = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const audiences = [isObject(claims) ? claims['aud'] : undefined].flat();
    return audiences.some((audience) => audience === tokenEndpoint || isSameIssuer(audience, issuer));
  } catch {
    return false;
  }
}

function isSameIssuer(audience: unknown, issuer: string): boolean {
  return typeof audience === 'string' && audience.replace(/\/$/, '') === issuer.replace(/\/$/, '');
}

/** Reads a text from the config, or from a file that another program updates: the file is read each time. */
async function readSource(source: OAuthSettings['assertion'], name: string): Promise<string> {
  if (source?.type === 'text') return source.text;
  if (source === undefined) throw new OAuthFault(`${name} is missing`);
  try {
    const text = (await readFile(source.file, 'utf8')).trim();
    if (text !== '') return text;
  } catch (error) {
    throw new OAuthFault(`${name}_file cannot be read: ${messageOf(error)}`);
  }
  throw new OAuthFault(`${name}_file is empty`);
}
