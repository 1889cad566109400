import type { WaitingQuestion } from '../tool/calls/approval.ts';
import type { CallApproval } from '../tool/calls/call-approval.ts';
import type { CancelSignal } from '../tool/calls/cancellation.ts';
import type { Tool } from '../tool/tool.ts';
import type { ToolContext, ToolLog } from '../tool/tool-context.ts';

/** What a caller may ask of one call. */
export interface CallOptions {
  /** A context, or plain metadata for one. */
  readonly context?: ToolContext | Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds; before the tool's own and the executor's. `Infinity` for none. */
  readonly timeout?: number | undefined;
  /** Cancels the call. */
  readonly signal?: CancelSignal | undefined;
  /** Further attempts after a recoverable failure. */
  readonly retries?: number | undefined;
  /** Repairs arguments of the wrong type where nothing is lost: `"42"` for a number, a JSON string for an object. */
  readonly coerce?: boolean | undefined;
  /** The id of the call in events and results. Default: a new one. */
  readonly callId?: string | undefined;
  /** What the call does when it needs a person's yes. Default: it waits for the answer. */
  readonly approval?: CallApproval | undefined;
  /** Hears of a question that the call does not wait for, as `approval.defer` says: to have it asked together with others. */
  readonly onWait?: ((question: WaitingQuestion) => void) | undefined;
  /** Stays the same when the same call is made again; the tool reads it as `context.idempotencyKey`. */
  readonly idempotencyKey?: string | undefined;
  /** Hears that the tool has read its `idempotencyKey`. */
  readonly onKeyRead?: (() => void) | undefined;
  /**
   * Awaited once, when all have agreed and the tool is about to run: what it throws is the result, and the tool does not run.
   * The tool is the one that really runs, where the called one stands for others.
   */
  readonly beforeRun?: ((tool: Tool) => Promise<void>) | undefined;
  /** Hears how far the tool has come. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Hears what the tool logs. */
  readonly onLog?: ((entry: CallLogEntry) => void) | undefined;
}

/** How far a call has come. */
export interface CallProgress {
  readonly callId: string;
  readonly tool: string;
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** A line that a tool logged. */
export interface CallLogEntry {
  readonly callId: string;
  readonly tool: string;
  readonly level: keyof ToolLog;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
