import type { Dispatcher } from 'undici';
import type { OAuthTokens } from '../oauth/oauth-tokens.ts';
import { parseChallenge } from '../oauth/discover-authorization.ts';
import type { TransportFailure } from './transport.ts';

export interface HttpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connect: () => Promise<Dispatcher>;
  /** The source of its tokens; `undefined` if the config sets an authorization. */
  readonly tokens: OAuthTokens | undefined;
  readonly maxFrame: number;
}

/** A refusal that no other token would change. */
export class Unauthorized extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A stored token, a renewed one, one with more rights: after these a request stays refused. */
const MAX_RENEWALS = 3;

/** Sends a request with the server's token, and again with another token if that is refused. Rejects with `Unauthorized`. */
export async function exchange(
  { url, tokens, connect }: HttpTarget,
  request: {
    readonly method: 'GET' | 'POST' | 'DELETE';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  const dispatcher = await connect();
  for (let renewals = 0; ; renewals++) {
    const access = tokens?.access;
    const proof = await tokens?.authorize(request.method, url);
    const headers = proof === undefined ? request.headers : { ...request.headers, ...proof };
    // Calls have their own timeouts, and a stream may be silent for long.
    const options = { origin, path: pathname + search, headersTimeout: 0, bodyTimeout: 0, ...request, headers };
    const response = await dispatcher.request(options);
    const { statusCode: status } = response;
    tokens?.noteNonce(url, response.headers['dpop-nonce']);
    if (tokens === undefined || (status !== 401 && status !== 403) || renewals === MAX_RENEWALS) return response;
    const challenge = parseChallenge(response.headers['www-authenticate']);
    if (status === 403 && challenge.error !== 'insufficient_scope') return response;
    if (challenge.error === 'use_dpop_nonce' && response.headers['dpop-nonce'] !== undefined) {
      discard(response);
      continue;
    }
    const renewal = await tokens.renew(status, challenge, access);
    if (renewal.type === 'unknown') return response;
    discard(response);
    if (renewal.type === 'failed') throw new Unauthorized(renewal.failure);
    request.signal.throwIfAborted();
  }
}

export function discard(response: Dispatcher.ResponseData): void {
  response.body
    .on('error', () => {})
    .dump()
    .catch(() => {});
}
