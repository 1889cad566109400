import type { WaitingQuestion } from '../tool/calls/approval.ts';
import type { CallApproval } from '../tool/calls/call-runtime.ts';
import type { CancelSignal } from '../tool/calls/cancellation.ts';
import type { Tool } from '../tool/tool.ts';
import type { ToolContext, ToolLog } from '../tool/tool-context.ts';

/** Options of one call. */
export interface CallOptions {
  /** A context, or plain metadata for one. */
  readonly context?: ToolContext | Readonly<Record<string, unknown>> | undefined;
  /** Timeout in milliseconds, which takes precedence over those of the tool and the executor. `Infinity` for none. */
  readonly timeout?: number | undefined;
  /** Cancels the call. */
  readonly signal?: CancelSignal | undefined;
  /** Number of retries after a recoverable failure. */
  readonly retries?: number | undefined;
  /** Repairs arguments of the wrong type without loss: `"42"` for a number, a JSON string for an object. */
  readonly coerce?: boolean | undefined;
  /** The id of the call in events and results. Default: a new one. */
  readonly callId?: string | undefined;
  /** Options for an approval. Default: the call waits for the answer. */
  readonly approval?: CallApproval | undefined;
  /** Receives a question that the call does not wait for because of `approval.defer`, to ask it together with others. */
  readonly onWait?: ((question: WaitingQuestion) => void) | undefined;
  /** Stays the same when the call is repeated. The tool reads it as `context.idempotencyKey`. */
  readonly idempotencyKey?: string | undefined;
  /** Called when the tool has read its `idempotencyKey`. */
  readonly onKeyRead?: (() => void) | undefined;
  /**
   * Awaited once, after all guards have agreed and before the tool runs. If it throws, the error is the result and the tool does not run.
   * Receives the tool that runs; for a proxy tool, its target.
   */
  readonly beforeRun?: ((tool: Tool) => Promise<void>) | undefined;
  /** Called with the progress of the tool. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Called with log lines of the tool. */
  readonly onLog?: ((entry: CallLogEntry) => void) | undefined;
}

/** A progress report of a call. */
export interface CallProgress {
  readonly callId: string;
  readonly tool: string;
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** A log line of a tool during a call. */
export interface CallLogEntry {
  readonly callId: string;
  readonly tool: string;
  readonly level: keyof ToolLog;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
