import { setTimeout as sleep } from 'node:timers/promises';
import type { AiSdk } from './ai-types.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Number and delay of retries. */
interface RetryOptions {
  readonly retries: number;
  /** Milliseconds before the first retry. */
  readonly delay: number;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: (attempt: number, reason: string) => void;
}

const MAX_DELAY = 30_000;

/** Thrown when a provider stops or falls silent in the middle of an answer. */
export class InterruptedAnswerError extends Error {
  constructor(message = 'The provider ended the connection in the middle of an answer.') {
    super(message);
    this.name = 'InterruptedAnswerError';
  }
}

/** Does the work and retries it after temporary failures: busy servers, lost connections, incomplete answers. */
export async function retryModel<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const wait =
        attempt > options.retries || options.signal?.aborted === true ? undefined : waitAfter(error, attempt, options);
      if (wait === undefined) throw error;
      options.onRetry(attempt, messageOf(error));
      await sleep(wait, undefined, { signal: options.signal });
    }
  }
}

/** Returns the milliseconds to wait, or `undefined` when a retry would fail as well. */
function waitAfter(error: unknown, attempt: number, { delay }: RetryOptions): number | undefined {
  const { APICallError } = loadPeer('ai', 'An agent') as AiSdk;
  // Half to all of the delay, so that many runs do not retry at once.
  const backoff = Math.min(MAX_DELAY, delay * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  if (error instanceof InterruptedAnswerError) return backoff;
  if (!APICallError.isInstance(error) || !error.isRetryable) return undefined;
  return readRetryAfter(error.responseHeaders ?? {}) ?? backoff;
}

/** Reads the provider's retry-after header if it is a reasonable time. */
function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number(headers['retry-after']) * 1000);
  return milliseconds >= 0 && milliseconds <= 60_000 ? milliseconds : undefined;
}

/** The longest delay of a timer; a longer limit means no limit. */
const MAX_TIMER = 2_147_483_647;

/** Starts work and stops it when it produces nothing for `limit` milliseconds, or when `outer` aborts. */
export async function limitSilence<T>(
  limit: number,
  outer: AbortSignal | undefined,
  start: (signal: AbortSignal, onActivity: () => void) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const silent = Promise.withResolvers<never>();
  const end = (): void => {
    const error = new InterruptedAnswerError(`The provider sent nothing for ${limit / 1_000} seconds.`);
    silent.reject(error);
    stop.abort(error);
  };
  const timer = limit > MAX_TIMER ? undefined : setTimeout(end, limit);
  const signal = outer === undefined ? stop.signal : AbortSignal.any([outer, stop.signal]);
  try {
    return await Promise.race([start(signal, () => void timer?.refresh()), silent.promise]);
  } finally {
    clearTimeout(timer);
  }
}
