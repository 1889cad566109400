import { type BodySink, createBodySink, createEventSink, type EventOptions, type SinkLimits } from './body-sink.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { ACCEPTED_ENCODINGS, collectAnswer } from './collect-answer.ts';
import type { HttpClient } from './http-client.ts';
import { type AnswerHead, type HttpRequest, type HttpResponse, readHeader } from './http-messages.ts';
import { readVersion } from '../own-package.ts';

export interface ExchangeOptions extends SinkLimits {
  /** Collects server-sent events. Default: the stream is read as text. */
  readonly events?: EventOptions | undefined;
  readonly client: HttpClient;
  readonly stop: AbortSignal;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  readonly auth?: RequestAuth | undefined;
}

/** Sends one request and reads its response. Follows no redirects; retries only to renew credentials. */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const { auth, stop } = options;
  if (auth === undefined) return send(request, options);
  return sendAuthorized(request, (authorized) => send(authorized, options), { auth, stop });
}

async function send(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const { client, stop, headersTimeout, bodyTimeout } = options;
  const url = new URL(request.url);
  const refusal = client.egress.checkUrl(url);
  if (refusal !== undefined) throw refusal;
  const answer = await collectAnswer(
    await client.connect(),
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: withDefaults(request.headers ?? {}),
      body: request.body ?? null,
      headersTimeout,
      bodyTimeout,
    },
    { makeSink: (head) => makeSink(head, options), stop },
  );
  return { url: url.origin + url.pathname, ...answer };
}

let userAgent: string | undefined;

/** Adds the default headers; configured ones win. Many servers refuse requests without a user agent. */
function withDefaults(headers: Readonly<Record<string, string>>): Record<string, string> {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const sent = { ...headers };
  if (!given.has('accept-encoding')) sent['accept-encoding'] = ACCEPTED_ENCODINGS;
  if (!given.has('user-agent')) sent['user-agent'] = userAgent ??= `pegboard/${readVersion()}`;
  return sent;
}

function makeSink(head: AnswerHead, options: ExchangeOptions): BodySink {
  const { events, maxBytes } = options;
  const isStream = /^\s*text\/event-stream\s*(?:;|$)/i.test(readHeader(head.headers, 'content-type'));
  const isWanted = events !== undefined && isStream && head.status >= 200 && head.status < 300;
  return isWanted ? createEventSink(events, maxBytes) : createBodySink(head, options);
}

/** Adds credentials to the requests to one API. */
export interface RequestAuth {
  /**
   * Returns the request with credentials, or unchanged when it goes to another server. Throws a `ToolError` without
   * any.
   */
  authorize(request: HttpRequest): HttpRequest | Promise<HttpRequest>;
  /** Gets new credentials after a 401. Returns false when there are none. */
  renew?(refused: HttpRequest): Promise<boolean>;
}

/**
 * Sends a request with credentials. A 401 means that the server did nothing, so it is sent once more with new
 * credentials.
 */
async function sendAuthorized(
  request: HttpRequest,
  send: (request: HttpRequest) => Promise<HttpResponse>,
  { auth, stop }: { readonly auth: RequestAuth; readonly stop: AbortSignal },
): Promise<HttpResponse> {
  // Renewals continue after a stop, because other requests may wait for the same token.
  const authorize = (): Promise<HttpRequest> => unlessAborted(Promise.resolve(auth.authorize(request)), stop);
  const authorized = await authorize();
  const response = await send(authorized);
  // Credentials written in the config cannot be renewed.
  if (response.status !== 401 || auth.renew === undefined || authorized === request) return response;
  if (!(await unlessAborted(auth.renew(authorized), stop))) return response;
  return send(await authorize());
}
