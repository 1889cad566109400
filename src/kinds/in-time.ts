import { ToolError } from '../tool/tool-error.ts';
import type { Kind } from './kind.ts';

/** Milliseconds that a kind may take for one entry. */
const PATIENCE = 30_000;

/** Waits at most 30 seconds for a kind's work on an entry: one that hangs must not block the others. */
export async function inTime<T>({ type }: Kind, work: T | Promise<T>): Promise<T> {
  if (!(work instanceof Promise)) return work;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `the kind "${type}" did not finish within ${PATIENCE / 1000} s.`;
    late.reject(new ToolError({ code: 'timeout', message }));
  }, PATIENCE);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
