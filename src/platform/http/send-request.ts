import type { MediaLimits } from './body-sink.ts';
import { createCallStop } from './call-stop.ts';
import type { EventOptions } from './event-sink.ts';
import { explainStop } from './explain-failure.ts';
import { followRedirects } from './follow-redirects.ts';
import type { HttpClient } from './http-client.ts';
import { type HttpClock, SYSTEM_CLOCK } from './http-clock.ts';
import type { HttpOutcome } from './http-messages.ts';
import type { HttpRequest } from './http-messages.ts';
import type { RedirectMode } from './next-request.ts';
import type { RequestAuth } from './request-auth.ts';
import { type Repeats, retryRequest } from './retry-request.ts';

/** How a request is sent. Times are milliseconds. */
export interface SendOptions {
  readonly client: HttpClient;
  readonly signal?: AbortSignal | undefined;
  /** For the whole request, with its redirects and retries. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** Until the answer begins. Default: as long as `timeout`. */
  readonly headersTimeout?: number | undefined;
  /** Between two pieces of the answer. Default: as long as `timeout`. */
  readonly bodyTimeout?: number | undefined;
  /** Bytes of the answer to keep, counted after decompression. Default: 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** How bytes that are no text are taken. Default: as text, up to `maxBytes`. */
  readonly media?: MediaLimits | undefined;
  /** How server-sent events are collected. Default: as text. */
  readonly events?: EventOptions | undefined;
  /** Which redirects are followed. Default: `same-origin`. */
  readonly redirects?: RedirectMode | undefined;
  /** Further attempts of a request that may be sent twice. Default: none. */
  readonly retries?: number | undefined;
  /** Which requests may be sent twice: those that only read, those that change nothing when repeated, or all. Default: `idempotent`. */
  readonly repeats?: Repeats | undefined;
  /** The longest `Retry-After` that is waited for. Default: 30,000. */
  readonly maxRetryAfter?: number | undefined;
  readonly clock?: HttpClock | undefined;
  /** Lets the request in; credentials never follow a redirect to another origin. */
  readonly auth?: RequestAuth | undefined;
}

/**
 * Sends a request and gives the server's answer, with any status.
 *
 * Throws a `ToolError` when there is no answer: `permission_denied` where the egress policy forbids the address,
 * `upstream_unavailable` for a failed connection, `timeout`, `cancelled`.
 */
export async function sendRequest(request: HttpRequest, options: SendOptions): Promise<HttpOutcome> {
  const { client, signal, timeout = 30_000, maxBytes = 1_048_576, clock = SYSTEM_CLOCK, auth } = options;
  const { headersTimeout = timeout, bodyTimeout = timeout, redirects = 'same-origin' } = options;
  const stop = createCallStop(timeout, signal);
  const exchangeOptions = {
    client,
    stop,
    headersTimeout,
    bodyTimeout,
    maxBytes,
    media: options.media,
    events: options.events,
    auth,
  };
  try {
    if (stop.isOver) throw explainStop(stop, request);
    return await retryRequest(() => followRedirects(request, redirects, exchangeOptions), {
      method: request.method,
      retries: options.retries ?? 0,
      repeats: options.repeats ?? 'idempotent',
      maxRetryAfter: options.maxRetryAfter ?? 30_000,
      deadline: clock.now() + timeout,
      clock,
      stop,
    });
  } catch (thrown) {
    // A wait between two attempts may have been ended.
    throw stop.isOver ? explainStop(stop, request) : thrown;
  } finally {
    stop.release();
  }
}
