import type {
  AnsweredCall,
  CallApproval,
  OutgoingRequest,
  RequestNoter,
  StartedRequest,
} from '../tool/calls/call-runtime.ts';
import { Cancellation, type CancelSignal } from '../tool/calls/cancellation.ts';
import { CANCELLATION, type CallRuntime, REQUESTS, SPAN, type ToolLog } from '../tool/tool-context.ts';
import { copyError, ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallOptions } from './call-options.ts';
import type { CallTrail } from './call-recorder.ts';
import type { CallSpan } from './call-spans.ts';
import type { Waiter } from './deadlines.ts';
import type { CallHost } from './executor-options.ts';

/** A call that reports progress may take this many times its timeout. */
const MAX_TIMEOUTS = 10;

/** The part of a running call that its tool sees: deadline, end, and a signal that is created only if the tool reads it. */
export class CallScope implements CallRuntime, RequestNoter, Waiter {
  readonly host: CallHost;
  readonly tool: Tool;
  readonly toolName: string;
  readonly options: CallOptions;
  readonly callId: string;
  /** Number of times the tool was run. */
  attempts = 0;
  /** Called when the call is ended from outside; unset after the call. */
  onEnd: { interrupt(error: ToolError): void } | undefined = undefined;
  /** Resolves when the long texts of the result are stored; unset without any. */
  keeping: Promise<unknown> | undefined = undefined;
  /** Ends the lease of this call; unset after the call. */
  release: (() => void) | undefined = undefined;
  trail: CallTrail | undefined = undefined;
  span: CallSpan | undefined = undefined;
  /** The approval that the call runs on, if it needed one. */
  answered: AnsweredCall | undefined = undefined;
  /** The start of the call by the executor's clock. */
  readonly started: number;
  row: Waiter['row'] = undefined;
  due = 0;
  previous: Waiter | undefined = undefined;
  next: Waiter | undefined = undefined;
  #timeout = 0;
  /** The deadline without progress. */
  #firstDue = 0;
  #cancellation: Cancellation | undefined = undefined;
  #ended: ToolError | undefined = undefined;
  /** Set while it listens to the caller's signal. */
  #cancel: (() => void) | undefined = undefined;
  #describe: (() => string) | undefined = undefined;
  #isClosed = false;

  constructor(call: Pick<CallScope, 'tool' | 'options' | 'callId' | 'started'>, host: CallHost) {
    this.host = host;
    this.tool = call.tool;
    this.toolName = call.tool.metadata.name;
    this.options = call.options;
    this.callId = call.callId;
    this.started = call.started;
    if (call.options.signal !== undefined) this.#listenTo(call.options.signal);
  }

  start(timeout: number, now?: number): void {
    this.host.deadlines.remove(this);
    // A cancelled call stays cancelled; after a timeout, the tool gets a new deadline and a new signal.
    if (this.#ended !== undefined) {
      if (this.#ended.code === 'cancelled') return;
      this.#cancellation = undefined;
      this.#describe = undefined;
      this.#ended = undefined;
    }
    this.#timeout = timeout;
    if (timeout === Infinity) return;
    this.host.deadlines.add(this, timeout, now);
    this.#firstDue = this.due;
  }

  /** Ends the call: releases the timer, the signal and the tool's lease. */
  close(): void {
    this.host.deadlines.remove(this);
    this.onEnd = undefined;
    this.#isClosed = true;
    if (this.#cancel !== undefined) this.options.signal?.removeEventListener('abort', this.#cancel);
    const { release } = this;
    this.release = undefined;
    release?.();
  }

  /** The error that ended the call from outside, if any. */
  get ended(): ToolError | undefined {
    return this.#ended;
  }

  expire(): void {
    const within =
      this.due === this.#firstDue
        ? `${this.#timeout} ms`
        : this.due < this.#latest - 1
          ? `${this.#timeout} ms of its last progress`
          : `${this.#timeout * MAX_TIMEOUTS} ms, the most that progress allows,`;
    const { source } = this.tool.metadata;
    // Only the caller can raise a timeout that it passed itself.
    const remedy =
      source === undefined || this.options.timeout !== undefined
        ? ''
        : ` If it needs longer, raise timeout: of its entry in the config (${source}).`;
    this.#end(
      new ToolError({
        code: 'timeout',
        message: `Tool "${this.toolName}" did not finish within ${within} and was stopped. Ask for less, or try again later.${remedy}`,
        toolName: this.toolName,
      }),
    );
  }

  get #latest(): number {
    return this.#firstDue + this.#timeout * (MAX_TIMEOUTS - 1);
  }

  get recordId(): string | undefined {
    return this.trail?.id;
  }

  get [SPAN](): unknown {
    return this.span?.context;
  }

  get [REQUESTS](): this {
    return this;
  }

  startRequest(request: OutgoingRequest): StartedRequest | undefined {
    const note = this.trail?.request?.(request.to);
    const started = this.span?.request(request);
    if (note === undefined) return started;
    return {
      traceparent: started?.traceparent,
      end(outcome, attributes) {
        note(outcome);
        started?.end(outcome, attributes);
      },
    };
  }

  get approval(): CallApproval | undefined {
    return this.options.approval;
  }

  get idempotencyKey(): string | undefined {
    this.options.onKeyRead?.();
    return this.options.idempotencyKey;
  }

  get signal(): AbortSignal {
    return this[CANCELLATION].toSignal();
  }

  get [CANCELLATION](): Cancellation {
    if (this.#cancellation === undefined) {
      this.#cancellation = new Cancellation();
      if (this.#ended !== undefined) this.#cancellation.abort(this.#ended);
    }
    return this.#cancellation;
  }

  progress(done: number, total?: number, message?: string): void {
    const { settings, events } = this.host;
    const progress = settings.redactor().data({
      callId: this.callId,
      tool: this.toolName,
      done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
    events.emit('call:progress', progress);
    events.notify(this.options.onProgress, progress);
  }

  putOffTimeout(): void {
    this.host.deadlines.putOff(this, this.#timeout, this.#latest);
  }

  async untimed<T>(work: PromiseLike<T>): Promise<T> {
    const timeout = this.#timeout;
    this.start(Infinity);
    try {
      return await work;
    } finally {
      if (!this.#isClosed) this.start(timeout);
    }
  }

  keepOnEnd(describe: () => string): void {
    this.#describe = describe;
  }

  get log(): ToolLog {
    const { settings, events } = this.host;
    const write =
      (level: keyof ToolLog) =>
      (message: string, data?: Readonly<Record<string, unknown>>): void => {
        const facts = { callId: this.callId, tool: this.toolName, level, message };
        const entry = settings.redactor().data({ ...facts, ...(data === undefined ? {} : { data }) });
        events.emit('call:log', entry);
        events.notify(this.options.onLog, entry);
      };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  #end(reason: ToolError): void {
    if (this.#ended !== undefined) return;
    const error = this.#describe === undefined ? reason : withFindings(reason, this.#describe());
    this.#ended = error;
    this.#cancellation?.abort(error);
    this.onEnd?.interrupt(error);
  }

  #listenTo(signal: CancelSignal): void {
    const cancel = (): void =>
      this.#end(
        new ToolError({
          code: 'cancelled',
          message: `The call of "${this.toolName}" was cancelled before it finished.`,
          toolName: this.toolName,
          cause: signal.reason,
        }),
      );
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    this.#cancel = cancel;
  }
}

/** Adds the tool's findings so far to the error. */
function withFindings(error: ToolError, findings: string): ToolError {
  return findings === '' ? error : copyError(error, { message: `${error.message}\n${findings}` });
}
