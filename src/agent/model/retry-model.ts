import type { AiSdk } from './ai-types.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Number and delay of retries. */
interface RetryOptions {
  readonly retries: number;
  /** Milliseconds before the first retry. */
  readonly delay: number;
  readonly cancelled: Cancellation | undefined;
  readonly onRetry: (attempt: number, reason: string) => void;
}

/** The cancellation of a run. */
export interface Cancellation {
  readonly signal: AbortSignal;
  /** Rejects when the run is cancelled; all steps share this promise. */
  readonly promise: Promise<never>;
}

/** Watches a signal for the duration of a run. */
export function watchSignal(signal: AbortSignal): Cancellation {
  const promise = new Promise<never>((_, reject) => {
    const stop = (): void =>
      reject(Object.assign(new Error('The run was cancelled.', { cause: signal.reason }), { name: 'AbortError' }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // Nothing awaits it between steps, so it must not count as unhandled.
  promise.catch(() => {});
  return { signal, promise };
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
        attempt > options.retries || options.cancelled?.signal.aborted === true
          ? undefined
          : waitAfter(error, attempt, options);
      if (wait === undefined) throw error;
      options.onRetry(attempt, messageOf(error));
      await sleep(wait, options.cancelled);
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

async function sleep(milliseconds: number, cancelled: Cancellation | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await unlessCancelled(new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))), cancelled);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the work or a cancellation: not every model observes its signal. */
export function unlessCancelled<T>(work: Promise<T>, cancelled: Cancellation | undefined): Promise<T> {
  return cancelled === undefined ? work : Promise.race([work, cancelled.promise]);
}
