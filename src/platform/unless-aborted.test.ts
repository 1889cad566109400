import { expect, it, onTestFinished } from 'vitest';
import { unlessAborted } from './unless-aborted.ts';

/** Collects unhandled rejections until the test ends. */
function watchUnhandled(): unknown[] {
  const failures: unknown[] = [];
  const note = (reason: unknown): unknown => failures.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return failures;
}

it.each([
  ['before', () => AbortSignal.abort('gone')],
  ['meanwhile', () => AbortSignal.timeout(1)],
])('leaves no failure of the work unhandled when the signal ended %s', async (_when, end) => {
  const failures = watchUnhandled();
  const work = Promise.withResolvers<never>();
  const signal = end();
  const waiting = unlessAborted(work.promise, signal).catch((reason: unknown) => reason);
  expect(await waiting).toBe(signal.reason);
  work.reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual([]);
});

it('returns the result of the work, and stops listening to the signal', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  expect(await unlessAborted(Promise.resolve(2), undefined)).toBe(2);
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});
