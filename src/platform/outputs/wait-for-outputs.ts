import type { OutputCapture } from './output-capture.ts';

/** Milliseconds without a byte after which an open stream is left to the grandchild that holds it. */
const SILENCE = 50;
/** The same when the call was cancelled, and no more is waited for. */
const SHORT_SILENCE = 5;
/** Looks after which the wait ends although a grandchild keeps writing. */
const MAX_LOOKS = 20;

/** Waits, after a child has exited, until its outputs ended or fell silent. */
export async function waitForOutputs(
  outputs: readonly OutputCapture[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (outputs.every(({ hasEnded }) => hasEnded)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const silence = signal?.aborted === true ? SHORT_SILENCE : SILENCE;
  let before = measure(outputs);
  let looks = 0;
  let timer = setTimeout(later, silence);

  // A timer that is late fires before what waits in the pipes is read: an immediate fires after.
  function later(): void {
    setImmediate(look);
  }

  function look(): void {
    const now = measure(outputs);
    const isStill = now === before && !outputs.some(({ isPaused }) => isPaused);
    if (isStill || ++looks === MAX_LOOKS) {
      resolve();
      return;
    }
    before = now;
    timer = setTimeout(later, silence);
  }

  function hurry(): void {
    clearTimeout(timer);
    later();
  }

  void Promise.all(outputs.map(({ ended }) => ended)).then(() => resolve());
  signal?.addEventListener('abort', hurry, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', hurry);
  }
}

function measure(outputs: readonly OutputCapture[]): number {
  return outputs.reduce((sum, { size }) => sum + size, 0);
}
