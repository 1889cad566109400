import type { CallStop } from './call-stop.ts';
import { type BodySink, createBodySink, type SinkLimits } from './body-sink.ts';
import { collectAnswer } from './collect-answer.ts';
import { ACCEPTED_ENCODINGS } from './content-encoding.ts';
import { createEventSink, type EventOptions } from './event-sink.ts';
import type { HttpClient } from './http-client.ts';
import { readHeader, type AnswerHead, type HttpResponse, type HttpRequest } from './http-messages.ts';
import { type RequestAuth, sendAuthorized } from './request-auth.ts';
import { readVersion } from '../own-package.ts';

export interface ExchangeOptions extends SinkLimits {
  /** Collects server-sent events. Default: the stream is read as text. */
  readonly events?: EventOptions | undefined;
  readonly client: HttpClient;
  readonly stop: CallStop;
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
  const sent: Record<string, string> = {};
  let hasAgent = false;
  let hasEncodings = false;
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    hasAgent ||= key === 'user-agent';
    hasEncodings ||= key === 'accept-encoding';
    sent[name] = value;
  }
  if (!hasEncodings) sent['accept-encoding'] = ACCEPTED_ENCODINGS;
  if (!hasAgent) sent['user-agent'] = userAgent ??= `pegboard/${readVersion()}`;
  return sent;
}

function makeSink(head: AnswerHead, options: ExchangeOptions): BodySink {
  const { events, maxBytes } = options;
  const isStream = /^\s*text\/event-stream\s*(?:;|$)/i.test(readHeader(head.headers, 'content-type'));
  const isWanted = events !== undefined && isStream && head.status >= 200 && head.status < 300;
  return isWanted ? createEventSink(events, maxBytes) : createBodySink(head, options);
}
