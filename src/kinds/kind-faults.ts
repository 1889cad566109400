import { ToolError } from '../tool/tool-error.ts';
import type { EntryFault, Kind } from './kind.ts';
import { messageOf } from '../tool/texts/message-of.ts';

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

/** Converts an error that a kind threw for an entry to a fault of that entry. */
export function toThrownFault(thrown: unknown): EntryFault {
  const text = messageOf(thrown);
  return { path: [], message: thrown instanceof ToolError ? text : `cannot be loaded: ${text}` };
}
