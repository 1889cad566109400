/** Signals that a request must end, on timeout or cancellation. Cheaper to create than an `AbortSignal`. */
export interface CallStop {
  readonly isOver: boolean;
  /** A `TimeoutError`, or the reason of the caller's signal. */
  readonly reason: unknown;
  /** Calls `listener` once when the request must end. Returns a function that removes it. */
  listen(listener: () => void): () => void;
  /** Stops the timer and stops listening to the caller's signal. */
  release(): void;
}

/** Starts the timeout of a request. Call `release` in `finally`. */
export function createCallStop(timeout: number, signal: AbortSignal | undefined): CallStop {
  const listeners = new Set<() => void>();
  let isOver = false;
  let reason: unknown;
  const end = (why: unknown): void => {
    if (isOver) return;
    isOver = true;
    reason = why;
    for (const listener of listeners) listener();
  };
  const cancel = (): void => end(signal?.reason);
  const timer = setTimeout(() => end(new DOMException(`${timeout} ms are over`, 'TimeoutError')), timeout);
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener('abort', cancel, { once: true });
  return {
    get isOver() {
      return isOver;
    },
    get reason() {
      return reason;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    release: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    },
  };
}
