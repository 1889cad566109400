import type { CallStop } from './call-stop.ts';
import { createBodySink, type SinkLimits } from './body-sink.ts';
import { collectAnswer } from './collect-answer.ts';
import { ACCEPTED_ENCODINGS } from './content-encoding.ts';
import type { HttpClient } from './http-client.ts';
import type { HttpResponse } from './http-messages.ts';
import type { HttpRequest } from './http-messages.ts';

/** What one exchange needs. */
export interface ExchangeOptions extends SinkLimits {
  readonly client: HttpClient;
  readonly stop: CallStop;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/** Sends one request and reads its answer: no redirects, no retries. */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
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
      headers: withEncodings(request.headers ?? {}),
      body: request.body ?? null,
      headersTimeout,
      bodyTimeout,
    },
    { makeSink: (head) => createBodySink(head, options), stop },
  );
  return { url: url.origin + url.pathname, ...answer };
}

function withEncodings(headers: Readonly<Record<string, string>>): Record<string, string> {
  for (const name in headers) if (name.toLowerCase() === 'accept-encoding') return headers;
  return { ...headers, 'accept-encoding': ACCEPTED_ENCODINGS };
}
