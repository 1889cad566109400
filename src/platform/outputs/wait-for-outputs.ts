import type { OutputCapture } from './output-capture.ts';

/** Milliseconds without a byte after which a stream that a grandchild holds open is abandoned. */
const SILENCE = 50;
/** The same limit after the call was cancelled. */
const SHORT_SILENCE = 5;
/** Number of checks after which the wait ends, even if a grandchild keeps writing. */
const MAX_LOOKS = 20;

/** Waits, after a child exited, until its outputs end or stay silent. */
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

  // A late timer fires before pending pipe data is read; an immediate fires after it.
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
