import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';

/** Facts about a tool that is not on the board. */
export type Absence =
  /** The reason why the tool is missing. */
  | { readonly type: 'known'; readonly error: ToolError }
  /** The possible reason, as a sentence. */
  | { readonly type: 'possible'; readonly remark: string };

/** The effort to make for a tool that is missing so far. */
export type ArrivalWish =
  /** Waits for servers that are being contacted. */
  | 'wait'
  /** Also contacts servers that were not contacted yet. */
  | 'ask'
  /** Also contacts servers that failed recently. */
  | 'retry';

/** Explains and awaits tools that a board does not have. */
export interface AbsentTools {
  explain(name: string): Absence | undefined;
  /**
   * Returns the rule or the lock that hides a tool from all callers, with its place. For people only: callers must not learn of such tools.
   */
  denial(name: string): string | undefined;
  /** Resolves when every server that may have the tool has listed its offer or failed. `undefined` when there is none to wait for. */
  arrival(name: string, wish: ArrivalWish): Promise<void> | undefined;
}

/** Returns the arrival of a tool that a call names, if its caller could use the tool. */
export function arrivalFor(
  { absent }: { readonly absent: AbsentTools | undefined },
  name: string,
  context: CallOptions['context'],
): Promise<void> | undefined {
  const bounds = boundsOf(context);
  return bounds === undefined ? absent?.arrival(name, 'retry') : bounds.arrival?.(name);
}

/** Waits for a tool, within the limits of the call. Returns the options for the rest of the call, or the error that ends it. */
export async function awaitArrival(
  arrival: Promise<void>,
  name: string,
  options: CallOptions = {},
): Promise<CallOptions | ToolError> {
  const { timeout, signal } = options;
  const limit = timeout !== undefined && timeout >= 0 && timeout < 2 ** 31 ? timeout : undefined;
  const started = performance.now();
  try {
    const inTime = unlessAborted(arrival, limit === undefined ? undefined : AbortSignal.timeout(limit));
    await unlessAborted(inTime, signal);
  } catch {
    const isCancelled = signal?.aborted === true;
    const message = isCancelled
      ? `The call of "${name}" was cancelled before it finished.`
      : `The tool "${name}" was not there within ${limit} ms: a server that may have it is still being asked. Try again later.`;
    return new ToolError({ code: isCancelled ? 'cancelled' : 'timeout', message, toolName: name });
  }
  return limit === undefined ? options : { ...options, timeout: Math.max(1, limit - (performance.now() - started)) };
}
