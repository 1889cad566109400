import type { CancelSignal } from '../tool/calls/cancellation.ts';

/** Waits for work, but not past the end of a signal: then it rejects with the signal's reason, and the work goes on alone. */
export async function unlessAborted<T>(work: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  // The race comes first in either case: a failure of the work that no one waits for would end the process.
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
