import type { EventOptions, MediaLimits } from './body-sink.ts';
import { explainStop } from './explain-failure.ts';
import { followRedirects, type RedirectMode } from './follow-redirects.ts';
import type { HttpClient } from './http-client.ts';
import { type HttpClock, SYSTEM_CLOCK, type Repeats, retryRequest } from './retry-request.ts';
import type { HttpOutcome, HttpRequest } from './http-messages.ts';
import type { RequestAuth } from './exchange.ts';

/** Options of a request. Times are milliseconds. */
export interface SendOptions {
  readonly client: HttpClient;
  readonly signal?: AbortSignal | undefined;
  /** Limit for the whole request with its redirects and retries. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** Limit until the response begins. Default: `timeout`. */
  readonly headersTimeout?: number | undefined;
  /** Limit between two pieces of the response. Default: `timeout`. */
  readonly bodyTimeout?: number | undefined;
  /** Bytes of the response to keep, counted after decompression. Default: 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Limits for binary bodies. Default: `maxBytes`, as for text. */
  readonly media?: MediaLimits | undefined;
  /** Collects server-sent events. Default: the stream is read as text. */
  readonly events?: EventOptions | undefined;
  /** Redirects to follow. Default: `same-origin`. */
  readonly redirects?: RedirectMode | undefined;
  /** Number of retries of a request that may be sent twice. Default: 0. */
  readonly retries?: number | undefined;
  /** Requests that may be sent twice. Default: `idempotent`. */
  readonly repeats?: Repeats | undefined;
  /** The longest `Retry-After` to wait for. Default: 30,000. */
  readonly maxRetryAfter?: number | undefined;
  readonly clock?: HttpClock | undefined;
  /** Adds credentials, which never follow a redirect to another origin. */
  readonly auth?: RequestAuth | undefined;
}

/**
 * Sends a request and returns the server's response, with any status.
 *
 * Throws a `ToolError` when there is no response: `permission_denied` when the egress policy forbids the address,
 * `upstream_unavailable` for a failed connection, `timeout`, or `cancelled`.
 */
export async function sendRequest(request: HttpRequest, options: SendOptions): Promise<HttpOutcome> {
  const { client, signal, timeout = 30_000, maxBytes = 1_048_576, clock = SYSTEM_CLOCK, auth } = options;
  const { headersTimeout = timeout, bodyTimeout = timeout, redirects = 'same-origin' } = options;
  const controller = new AbortController();
  const stop = controller.signal;
  const cancel = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`${timeout} ms have passed`, 'TimeoutError')),
    timeout,
  );
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted === true) cancel();
  const { media, events, retries = 0, repeats = 'idempotent', maxRetryAfter = 30_000 } = options;
  const exchangeOptions = { client, stop, headersTimeout, bodyTimeout, maxBytes, media, events, auth };
  try {
    if (stop.aborted) throw explainStop(stop, request);
    return await retryRequest(() => followRedirects(request, redirects, exchangeOptions), {
      method: request.method,
      retries,
      repeats,
      maxRetryAfter,
      deadline: clock.now() + timeout,
      clock,
      stop,
    });
  } catch (thrown) {
    // The wait between two attempts may have been interrupted.
    throw stop.aborted ? explainStop(stop, request) : thrown;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
