import type { HttpClock } from '../http/retry-request.ts';
import { type AuthorizationServer, readText } from './authorization-server.ts';
import { type OAuthIdentity, proveClient, reason } from './oauth-client.ts';
import type { JsonObject, OAuthHttp } from './oauth-http.ts';
import { OAuthFault, type OAuthLogin } from './oauth-settings.ts';

interface DeviceLogin {
  readonly http: OAuthHttp;
  readonly identity: OAuthIdentity;
  readonly scope: string | undefined;
  readonly audience: string | undefined;
  readonly login: OAuthLogin;
  readonly clock: HttpClock;
  readonly signal: AbortSignal;
  /** Requests the token. Throws an `OAuthFault` with the server's code until there is one. */
  readonly request: (fields: Readonly<Record<string, string>>) => Promise<JsonObject>;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Default seconds between two requests, and the seconds that `slow_down` adds. */
const INTERVAL = 5;
/** Default seconds until a code expires. */
const LIFETIME = 900;

/** Shows a code with which a person logs in on any device (RFC 8628), and waits for the login. */
export async function logInDevice(from: AuthorizationServer, device: DeviceLogin): Promise<JsonObject> {
  const { http, identity, scope, audience, login, clock, signal, request } = device;
  const { deviceEndpoint, issuer } = from;
  if (deviceEndpoint === undefined) throw new OAuthFault(`${issuer} does not support logins on another device`);
  if (login.showCode === undefined) throw new OAuthFault('the login code cannot be shown to anyone');
  const { fields, headers } = proveClient(from, identity);
  const form = new URLSearchParams({ ...fields, client_id: identity.id });
  if (scope !== undefined) form.set('scope', scope);
  if (audience !== undefined) form.set('audience', audience);
  const { status, body } = await http.post(deviceEndpoint, form.toString(), headers);
  const code = readText(body['device_code']);
  const shown = readText(body['user_code']);
  // Some servers use the name from drafts of the standard.
  const url = URL.parse(readText(body['verification_uri']) ?? readText(body['verification_url']) ?? '');
  if (status >= 300 || code === undefined || shown === undefined)
    throw new OAuthFault(`${issuer} gave no code for a login${reason(body)}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OAuthFault(`${issuer} names no web address for entering the code`);
  login.showCode({ url: url.href, code: toPlain(shown) });
  let interval = toSeconds(body['interval'], INTERVAL);
  const end = clock.now() + toSeconds(body['expires_in'], LIFETIME) * 1000;
  for (;;) {
    await clock.sleep(interval * 1000, signal);
    try {
      return await request({ grant_type: GRANT, device_code: code });
    } catch (error) {
      const word = error instanceof OAuthFault ? error.code : undefined;
      if (word === 'access_denied') throw new OAuthFault('the login was refused');
      if (word === 'slow_down') interval += INTERVAL;
      else if (word === 'expired_token' || (word !== 'authorization_pending' && isFinal(error)))
        throw explain(error, word);
      // A server that temporarily does not answer is asked again, less often.
      else if (word !== 'authorization_pending') interval *= 2;
    }
    if (clock.now() >= end) throw explain(undefined, 'expired_token');
  }
}

function isFinal(error: unknown): boolean {
  return !(error instanceof OAuthFault) || !error.isOutage;
}

function explain(error: unknown, word: string | undefined): unknown {
  return word === 'expired_token' ? new OAuthFault('the code was not typed in time. Run the command again') : error;
}

/** Returns a plausible number of seconds, or `otherwise`. */
function toSeconds(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 && value <= 86_400 ? value : otherwise;
}

/** Removes control characters, so that the text cannot move a terminal's cursor. */
function toPlain(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 64);
}
