import { ToolError } from '../../tool/tool-error.ts';
import { readHeader, type HttpOutcome } from './http-messages.ts';
import { isConnectionFailure } from './explain-failure.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** Requests that may be sent twice: those that only read, idempotent ones, or all. */
export type Repeats = 'reads' | 'idempotent' | 'all';

/** Options for retries. Times are milliseconds. */
export interface RetryOptions {
  readonly method: string;
  readonly retries: number;
  readonly repeats: Repeats;
  readonly maxRetryAfter: number;
  /** No attempt starts after this time. */
  readonly deadline: number;
  readonly clock: HttpClock;
  readonly stop: AbortSignal;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const IDEMPOTENT = new Set([...READS, 'PUT', 'DELETE']);
/** A rate-limited request had no effect, so any request may be retried. */
const REFUSED = 429;
const WORTH_RETRYING = new Set([429, 502, 503, 504]);

/** Retries a request while that may help. Waits as long as the server asks, or longer with each attempt. */
export async function retryRequest(send: () => Promise<HttpOutcome>, options: RetryOptions): Promise<HttpOutcome> {
  const { clock, deadline, maxRetryAfter, retries, stop } = options;
  const mayRepeat = canRepeat(options);
  for (let attempt = 1; ; attempt++) {
    let delay = backoff(attempt, clock);
    const canRetry = (): boolean => attempt <= retries && clock.now() + delay < deadline;
    try {
      const outcome = { ...(await send()), attempts: attempt };
      if (!WORTH_RETRYING.has(outcome.status)) return outcome;
      const asked = parseRetryAfter(readHeader(outcome.headers, 'retry-after'), clock.now());
      delay = asked ?? delay;
      if ((mayRepeat || outcome.status === REFUSED) && delay <= maxRetryAfter && canRetry())
        await clock.sleep(delay, stop);
      else return asked === undefined ? outcome : withWaitNotice(outcome, asked);
    } catch (error) {
      if (!(error instanceof ToolError) || !isConnectionFailure(error)) throw error;
      if (!mayRepeat || !canRetry()) throw error;
      await clock.sleep(delay, stop);
    }
  }
}

function canRepeat({ method, repeats }: RetryOptions): boolean {
  return repeats === 'all' || (repeats === 'reads' ? READS : IDEMPOTENT).has(method);
}

function withWaitNotice(outcome: HttpOutcome, delay: number): HttpOutcome {
  const notice = `The server asks to wait ${Math.ceil(delay / 1000)} s before the next attempt.`;
  return { ...outcome, notices: [...outcome.notices, notice] };
}

const FIRST_DELAY = 250;
const LONGEST_DELAY = 10_000;

/** Parses a `Retry-After` header, in seconds or as a date, to milliseconds; `undefined` if it is invalid. */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Requires letters: `Date.parse` would read a bare number as a year.
  const date = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Returns the milliseconds before attempt `attempt + 1`: doubled each time, half of it random. */
export function backoff(attempt: number, clock: HttpClock): number {
  const full = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * clock.random();
}

/** Time and randomness for retries. Tests pass their own. */
export interface HttpClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a number from 0 to 1, excluding 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const SYSTEM_CLOCK: HttpClock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};
