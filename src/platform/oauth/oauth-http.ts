import type { Dispatcher } from 'undici';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { readText } from '../http/http-messages.ts';
import { readVersion } from '../own-package.ts';
import { OAuthFault } from './oauth-settings.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Sends requests to addresses that a server names. */
export interface OAuthHttp {
  /** Fetches a JSON object; `undefined` when there is none. */
  read(url: string): Promise<JsonObject | undefined>;
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<OAuthAnswer>;
}

interface OAuthAnswer {
  readonly status: number;
  readonly body: JsonObject;
  /** The nonce for the next DPoP proof. */
  readonly nonce: string | readonly string[] | undefined;
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT = 15_000;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Creates the HTTP client for one server. It requires https, except for configured addresses, and for loopback addresses when the server
 * is on loopback too.
 *
 * `named` lists configured addresses, the server's first. `connect` receives the address if it may be private, and `undefined` if only the
 * public internet is allowed.
 */
export function createOAuthHttp(
  named: readonly [server: string, ...others: string[]],
  connect: (privateUrl: string | undefined) => Promise<Dispatcher>,
): OAuthHttp {
  const home = new URL(named[0]);
  const origins = new Set(named.map((address) => new URL(address).origin));
  const send = async (
    text: string,
    request: {
      readonly method: 'GET' | 'POST';
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    },
  ): Promise<{ readonly status: number; readonly value: unknown; readonly nonce: OAuthAnswer['nonce'] }> => {
    const url = URL.parse(text);
    if (url === null) throw new OAuthFault(`it names an address that cannot be read: ${text.slice(0, 200)}`);
    const isLocal = LOOPBACK.test(url.hostname) && LOOPBACK.test(home.hostname);
    const isNamed = origins.has(url.origin);
    if (url.protocol !== 'https:' && !isLocal && !isNamed)
      throw new OAuthFault(`it names ${url.origin}, which is not https`);
    const { origin, pathname, search } = url;
    try {
      const dispatcher = await connect(isLocal || isNamed ? text : undefined);
      const signal = AbortSignal.timeout(TIMEOUT);
      const { statusCode, headers, body } = await dispatcher.request({
        origin,
        path: pathname + search,
        signal,
        ...request,
        // Some authorization servers refuse requests without a user agent.
        headers: { 'user-agent': `pegboard/${readVersion()}`, ...request.headers },
      });
      const answer = await readText(body, MAX_BYTES);
      if (answer === undefined) throw new OAuthFault(`${origin} sent more than ${MAX_BYTES} bytes`);
      return { status: statusCode, value: parseJson(answer), nonce: headers['dpop-nonce'] };
    } catch (error) {
      if (error instanceof OAuthFault) throw error;
      throw new OAuthFault(`${origin} does not answer: ${messageOf(error)}`, { isOutage: true });
    }
  };
  return {
    async read(url) {
      const { status, value } = await send(url, { method: 'GET', headers: { accept: 'application/json' } });
      return status === 200 && isPlainObject(value) ? value : undefined;
    },
    async post(url, body, headers) {
      const accepting = { accept: 'application/json', ...headers };
      const { status, value, nonce } = await send(url, { method: 'POST', headers: accepting, body });
      return { status, body: isPlainObject(value) ? value : {}, nonce };
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
