/** Milliseconds of work between two turns of the event loop: too short to notice, long enough to cost nothing. */
const SLICE = 5;

/**
 * Runs long work without blocking the process: other work may run at each `yield`.
 *
 * An aborted signal ends the work at its next turn with the signal's reason.
 */
export async function runInTurns<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  let since = performance.now();
  try {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      if (performance.now() - since < SLICE) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      since = performance.now();
    }
  } finally {
    // Runs its `finally` blocks even when it did not finish. Its result is ignored.
    work.return(undefined as never);
  }
}

export function runAtOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
