import { ToolError } from '../../tool/tool-error.ts';
import type { CallStop } from './call-stop.ts';
import { readHeader } from './collect-answer.ts';
import { isConnectionFailure } from './explain-failure.ts';
import type { HttpClock } from './http-clock.ts';
import type { HttpOutcome } from './http-messages.ts';

/** When to try again. Times are milliseconds. */
export interface RetryOptions {
  readonly method: string;
  readonly retries: number;
  readonly maxRetryAfter: number;
  /** When the request must have ended: no attempt starts after it. */
  readonly deadline: number;
  readonly clock: HttpClock;
  readonly stop: CallStop;
}

const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
const WORTH_RETRYING = new Set([429, 502, 503, 504]);

/** Sends a request again while that may help, waiting as long as the server asks or longer each time. */
export async function retryRequest(send: () => Promise<HttpOutcome>, options: RetryOptions): Promise<HttpOutcome> {
  const { method, clock, deadline, maxRetryAfter } = options;
  const retries = IDEMPOTENT.has(method) ? options.retries : 0;
  for (let attempt = 1; ; attempt++) {
    let delay = backoff(attempt, clock);
    const canRetry = (): boolean => attempt <= retries && clock.now() + delay < deadline;
    try {
      const outcome = { ...(await send()), attempts: attempt };
      if (attempt > retries || !WORTH_RETRYING.has(outcome.status)) return outcome;
      delay = parseRetryAfter(readHeader(outcome.headers, 'retry-after'), clock.now()) ?? delay;
      if (delay > maxRetryAfter || !canRetry()) return withWaitNotice(outcome, delay);
    } catch (error) {
      if (!(error instanceof ToolError) || !isConnectionFailure(error) || !canRetry()) throw error;
    }
    await sleep(delay, options);
  }
}

async function sleep(delay: number, { clock, stop }: RetryOptions): Promise<void> {
  const controller = new AbortController();
  const stopListening = stop.listen(() => controller.abort());
  try {
    await clock.sleep(delay, controller.signal);
  } finally {
    stopListening();
  }
}

function withWaitNotice(outcome: HttpOutcome, delay: number): HttpOutcome {
  const notice = `The server asks to wait ${Math.ceil(delay / 1000)} s before the next attempt.`;
  return { ...outcome, notices: [...outcome.notices, notice] };
}

const FIRST_DELAY = 250;
const LONGEST_DELAY = 10_000;

/** Milliseconds that a `Retry-After` header asks for, given as seconds or as a date; `undefined` if it cannot be read. */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Dates have letters; a parser that takes anything would make a year of a number.
  const date = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Milliseconds before attempt `attempt + 1`: twice as long each time, up to half of it left to chance. */
export function backoff(attempt: number, clock: HttpClock): number {
  const full = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * clock.random();
}
