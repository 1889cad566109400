/** Milliseconds of work between two turns of the event loop: too short to notice, long enough to cost nothing. */
const SLICE = 5;

/**
 * Runs long work to its end without holding up the process: at each `yield` other work may have its turn.
 *
 * A signal that aborts ends the work at its next turn, with the signal's reason.
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
    // Its own `finally` blocks run, also when it did not come to its end. What it would give is not looked at.
    work.return(undefined as never);
  }
}

/** Runs such work to its end at once. */
export function runAtOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
