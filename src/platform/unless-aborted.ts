import type { CancelSignal } from '../tool/calls/cancellation.ts';

/** Waits for work until a signal aborts, then rejects with the signal's reason. The work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  // The race must start in either case: an unhandled rejection of the work would end the process.
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
