import type { ApprovalKeeper } from '../tool/calls/approval.ts';
import type { CallGuard, ReserveCall } from '../tool/calls/call-bounds.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { CallSpans } from './call-spans.ts';
import type { CallLogEntry, CallProgress } from './call-options.ts';
import { type Clock, type Deadlines, systemClock } from './deadlines.ts';
import type { Redactor } from '../guard/secrets/redactor.ts';
import type { FairSlots } from '../platform/fair-slots.ts';
import type { Emitter } from '../tool/emitter.ts';
import type { InputLimits } from '../tool/input-limits.ts';
import type { ToolHooks } from './tool-hooks.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';

/** Defaults for every call of an executor; tools and calls may override them. */
export interface ExecutorOptions {
  /** Timeout of a call in milliseconds. Default: 30,000. */
  readonly timeout?: number;
  /** Maximum number of concurrent calls. Default: no limit. */
  readonly concurrency?: number;
  /** Number of retries after a recoverable failure. Default: 0. */
  readonly retries?: number;
  /** Milliseconds before the first retry, doubled for each further one. Default: 200. */
  readonly retryDelay?: number;
  /** Repairs arguments of the wrong type without loss. Default: false. */
  readonly coerce?: boolean;
  /** Maximum characters of arguments. Default: 4,194,304. */
  readonly maxInput?: number;
  /** Maximum values (object keys and list items) of arguments; a function if it may change. Default: 10,000. */
  readonly maxValues?: number | (() => number | undefined);
  /** Characters of result text before it is truncated. Default: 1,048,576. */
  readonly maxOutput?: number;
  /** Bytes of images, audio and files in a result. Default: 10,485,760. */
  readonly maxMedia?: number;
  /** Characters of a result's text for a model; `keepOutput` stores the rest. A function if it may change. Default: 25,000. */
  readonly maxModelOutput?: number | (() => number | undefined);
  /**
   * Stores a text that is too long to return, for the caller of this context. Returns the id for `output_read`. The call ends when `kept`
   * resolves.
   */
  readonly keepOutput?: (
    text: string,
    context: ToolContext,
  ) => string | { readonly id: string; readonly kept?: Promise<void> } | undefined;
  /** Values removed from everything that a tool returns, throws, logs or reports; a function if they may change. */
  readonly secrets?: readonly string[] | (() => readonly string[] | Redactor);
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Decides if a checked call may run: an error refuses it. A policy is such a guard. May be called twice for a call. */
  readonly guard?: CallGuard | undefined;
  /** Returns the function that reserves resources for a call after `guard` has agreed. Called for each call. */
  readonly reserve?: (() => ReserveCall | undefined) | undefined;
  /** Returns false when `guard` has nothing to check in a call with these arguments. Called for each call. Default: true with a `guard`. */
  readonly isGuarded?: ((tool: Tool, args: unknown) => boolean) | undefined;
  /** @internal Stores questions to people so that other processes can answer them. Default: only the person asked directly answers. */
  readonly approvals?: ApprovalKeeper | undefined;
  /** Records every call. Default: none. */
  readonly recorder?: CallRecorder | undefined;
  /** @internal Creates spans for every call. Default: none. */
  readonly spans?: CallSpans | undefined;
  /** Called when a call of a tool starts. Returns a function to call when it ends. */
  readonly lease?: CallLease | undefined;
}

/** Keeps the resources of a tool while one of its calls is running. */
export type CallLease = (tool: Tool) => () => void;

/** The events of an executor. */
export interface ExecutorEvents extends Record<string, unknown> {
  'call:started': {
    readonly callId: string;
    readonly tool: string;
    readonly args: unknown;
    /** The caller's context, which identifies the caller. */
    readonly context: ToolContext;
  };
  'call:finished': { readonly callId: string; readonly tool: string; readonly result: ToolResult };
  'call:progress': CallProgress;
  'call:log': CallLogEntry;
}

/** Defaults of an executor's options. */
export const DEFAULTS = {
  timeout: 30_000,
  retries: 0,
  retryDelay: 200,
  coerce: false,
  maxOutput: 1_048_576,
  maxMedia: 10_485_760,
  clock: systemClock,
};

/** Default timeout of a call in milliseconds. */
export const DEFAULT_TIMEOUT: number = DEFAULTS.timeout;

/** The options of an executor with every default filled in. */
export type CallSettings = Omit<ExecutorOptions, 'secrets' | 'maxInput' | 'maxValues'> & {
  readonly [K in keyof typeof DEFAULTS | 'isGuarded']: NonNullable<ExecutorOptions[K]>;
} & {
  readonly inputLimits: InputLimits;
  readonly redactor: () => Redactor;
};

/** The executor's parts that its calls share. */
export interface CallHost {
  readonly settings: CallSettings;
  readonly hooks: ToolHooks;
  readonly events: Emitter<ExecutorEvents>;
  readonly deadlines: Deadlines;
  /** The slots of all calls; `undefined` without a limit. */
  readonly slots: FairSlots | undefined;
}
