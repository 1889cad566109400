/** Waits, and rejects when the signal aborts; its timer does not keep the process alive. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Error('The connection was closed.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    timer.unref();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
