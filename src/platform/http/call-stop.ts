/** Tells when a request must end: its time is over, or its caller cancelled it. Quicker to make than an `AbortSignal`. */
export interface CallStop {
  readonly isOver: boolean;
  /** Why: a `TimeoutError`, or what the caller's signal gave as its reason. */
  readonly reason: unknown;
  /** Has `listener` called once when the request must end; gives the function that takes this back. */
  listen(listener: () => void): () => void;
  /** Stops the timer and lets go of the caller's signal. */
  release(): void;
}

/** Starts the time of a request. Release it in `finally`. */
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
