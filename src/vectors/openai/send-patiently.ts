import { ToolError } from '../../tool/tool-error.ts';
import type { HttpClient } from '../../platform/http/http-client.ts';
import { readHeader, type HttpOutcome, type HttpRequest } from '../../platform/http/http-messages.ts';
import { isConnectionFailure } from '../../platform/http/explain-failure.ts';
import { type HttpClock, backoff, parseRetryAfter } from '../../platform/http/retry-request.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import type { Pace } from './pace.ts';

export interface PatientOptions {
  readonly client: HttpClient;
  readonly clock: HttpClock;
  readonly pace: Pace;
  readonly signal: AbortSignal | undefined;
}

/** Attempts at a server that answers but is busy; callers of the embedder do not retry. */
const ATTEMPTS = 5;
/** Attempts at a server that does not answer: few, so that the caller soon hears of it. */
const CONNECTIONS = 3;
const TIMEOUT = 60_000;
/** For longer delays the caller gets the refusal instead. */
const LONGEST_WAIT = 120_000;
/** 96 vectors of 3,072 numbers take about 6 MB as text. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Sends a request and retries after 429, 5xx and broken connections, with the delay the server asks for. */
export async function sendPatiently(request: HttpRequest, options: PatientOptions): Promise<HttpOutcome> {
  const { client, clock, pace, signal } = options;
  for (let attempt = 1; ; attempt++) {
    await pace.wait(signal);
    let delay = backoff(attempt, clock);
    try {
      const answer = await sendRequest(request, { client, signal, timeout: TIMEOUT, maxBytes: MOST_BYTES });
      const isBusy = answer.status === 429 || answer.status >= 500;
      if (!isBusy || attempt >= ATTEMPTS) return answer;
      delay = parseRetryAfter(readHeader(answer.headers, 'retry-after'), clock.now()) ?? delay;
      if (delay > LONGEST_WAIT) return answer;
    } catch (error) {
      if (signal?.aborted === true || attempt >= CONNECTIONS || !isWorthAnother(error))
        throw explain(error, request.url);
    }
    // Delays all requests, because the others would be refused as well.
    pace.pause(delay);
  }
}

function isWorthAnother(error: unknown): boolean {
  return error instanceof ToolError && isConnectionFailure(error);
}

function explain(error: unknown, url: string): unknown {
  if (!(error instanceof ToolError) || error.code === 'cancelled') return error;
  const message = `The embedder at ${url} does not answer: ${error.message.replace(/ Check (?:that|the host) .*$/, '')} Check that it runs and that url is right.`;
  return new ToolError({ code: error.code === 'timeout' ? 'upstream_unavailable' : error.code, message, cause: error });
}
