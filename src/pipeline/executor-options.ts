import type { ApprovalKeeper } from '../tool/calls/approval.ts';
import type { CallGuard, ReserveCall } from '../tool/calls/call-bounds.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { CallSpans } from './call-spans.ts';
import type { CallLogEntry, CallProgress } from './call-options.ts';
import type { Clock } from './deadlines.ts';
import type { Redactor } from '../guard/secrets/redactor.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';

/** Settings for every call of an executor; a tool or a call may say otherwise. */
export interface ExecutorOptions {
  /** Milliseconds that a call may take. Default: 30,000. */
  readonly timeout?: number;
  /** Calls that may run at once. Default: no limit. */
  readonly concurrency?: number;
  /** Further attempts after a recoverable failure. Default: none. */
  readonly retries?: number;
  /** Milliseconds before the first retry, doubled for each further one. Default: 200. */
  readonly retryDelay?: number;
  /** Repairs arguments of the wrong type where nothing is lost. Default: false. */
  readonly coerce?: boolean;
  /** Characters of arguments a call may send. Default: 4,194,304. */
  readonly maxInput?: number;
  /** Values (keys of objects and items of lists) that a call's arguments may hold; a function when it may change. Default: 10,000. */
  readonly maxValues?: number | (() => number | undefined);
  /** Characters of result text before it is shortened. Default: 1,048,576. */
  readonly maxOutput?: number;
  /** Bytes of pictures, sounds and files in a result. Default: 10,485,760. */
  readonly maxMedia?: number;
  /** Characters of a result's text that a model gets, the rest kept where `keepOutput` can; a function when it may change. Default: 25,000. */
  readonly maxModelOutput?: number | (() => number | undefined);
  /**
   * Keeps a text that is too long to be given, for the caller of this context; gives the id that `output_read` takes. The call ends when
   * `kept` resolves.
   */
  readonly keepOutput?: (
    text: string,
    context: ToolContext,
  ) => string | { readonly id: string; readonly kept?: Promise<void> } | undefined;
  /** Values that never leave a call, in what a tool returns, throws, logs or reports; a function when they may change. */
  readonly secrets?: readonly string[] | (() => readonly string[] | Redactor);
  /** The time and its timers. Default: those of the system. */
  readonly clock?: Clock;
  /** Decides whether a checked call may run: an error refuses it. A policy is such a guard. May judge a call twice. */
  readonly guard?: CallGuard | undefined;
  /** The function that takes what calls use up, once `guard` has agreed; asked for each call. */
  readonly reserve?: (() => ReserveCall | undefined) | undefined;
  /** Tells whether `guard` has anything to judge a call with these checked arguments by; asked for each call. Default: it has. */
  readonly isGuarded?: ((tool: Tool, args: unknown) => boolean) | undefined;
  /** @internal Keeps questions to people where other processes can answer them. Default: only who is asked directly answers. */
  readonly approvals?: ApprovalKeeper | undefined;
  /** Keeps a record of every call. Default: none is kept. */
  readonly recorder?: CallRecorder | undefined;
  /** @internal Makes spans of every call. Default: none are made. */
  readonly spans?: CallSpans | undefined;
  /** Called when a call of a tool begins; gives a function that is called when that call is over. */
  readonly lease?: CallLease | undefined;
}

/** Keeps what a tool needs while one of its calls is under way. */
export type CallLease = (tool: Tool) => () => void;

/** What an executor tells its listeners. */
export interface ExecutorEvents extends Record<string, unknown> {
  'call:started': {
    readonly callId: string;
    readonly tool: string;
    readonly args: unknown;
    /** The caller's context, which says who it was. */
    readonly context: ToolContext;
  };
  'call:finished': { readonly callId: string; readonly tool: string; readonly result: ToolResult };
  'call:progress': CallProgress;
  'call:log': CallLogEntry;
}

/** The least value of each setting; fewer values are not counted. */
const LEAST = {
  timeout: 1,
  concurrency: 1,
  retries: 0,
  retryDelay: 0,
  maxInput: 1,
  maxValues: 1_000,
  maxOutput: 1,
  maxMedia: 0,
};

/** Refuses settings that would make every call hang or fail: misuse, which is reported at once. */
export function checkExecutorOptions(options: ExecutorOptions): void {
  for (const [name, least] of Object.entries(LEAST)) {
    // The entries of a constant have its keys.
    const value = options[name as keyof typeof LEAST];
    if (value === undefined || typeof value === 'function' || value >= least) continue;
    const message = `The executor's ${name} must be ${least} or more; got ${value}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: name, reason: `must be ${least} or more` });
  }
}
