import { Emitter } from '../tool/emitter.ts';
import { explainIssues } from '../tool/texts/explain-issues.ts';
import { isThenable } from '../tool/is-thenable.ts';
import { boundsOf } from '../tool/calls/call-bounds.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import { isServedTool } from '../tool/tool-marks.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallLogEntry, CallOptions, CallProgress } from './call-options.ts';
import type { CallRecorder } from './call-recorder.ts';
import { type CallHost, CallScope } from './call-scope.ts';
import { checkInput, withoutNulls } from './check-input.ts';
import { type CallSettings, readSettings, timeoutOf } from './call-settings.ts';
import { Deadlines } from './deadlines.ts';
import type { ExecutorEvents, ExecutorOptions } from './executor-options.ts';
import { copyArguments } from './final-arguments.ts';
import { guardInput } from './guard-input.ts';
import { finishResult, isLarge, redactInSlices, redactResult } from './finish-result.ts';
import { GuardedCalls } from './guarded-calls.ts';
import type { Redactor } from '../guard/secrets/redactor.ts';
import { shapeOutput } from './shape-output.ts';
import { isStandIn, type StandIn } from './stand-in.ts';
import { toToolError } from './to-tool-error.ts';
import { ToolHooks } from './tool-hooks.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';

const NO_OPTIONS: CallOptions = Object.freeze({});

const sharedDeadlines = new Deadlines();
const callIdPrefix = `call_${Math.random().toString(36).slice(2, 8)}_`;
let callCount = 0;

/**
 * Runs tools through the one pipeline: check, hooks, guards, limits, run, hooks, shape, record. Never throws.
 *
 * @example
 * const executor = new ToolExecutor({ timeout: 5_000 });
 * executor.hooks.before(({ tool, args }) => console.log(tool.metadata.name, args));
 * const result = await executor.execute(tool, { a: 1, b: 2 });
 */
export class ToolExecutor {
  readonly hooks: ToolHooks = new ToolHooks();
  readonly #settings: CallSettings;
  readonly #guarded: GuardedCalls;
  readonly #events = new Emitter<ExecutorEvents>();
  readonly #host: CallHost;

  constructor(options: ExecutorOptions = {}) {
    this.#settings = readSettings(options);
    this.#guarded = new GuardedCalls(this.#settings, this.hooks);
    this.#host = {
      deadlines: options.clock === undefined ? sharedDeadlines : new Deadlines(options.clock),
      progress: (scope, given) => {
        // What a tool tells keeps its shape: only strings change.
        const progress = this.#settings.redactor().data(given) as CallProgress;
        this.#events.emit('call:progress', progress);
        this.#events.tell(scope.options.onProgress, progress);
      },
      log: (scope, given) => {
        const entry = this.#settings.redactor().data(given) as CallLogEntry;
        this.#events.emit('call:log', entry);
        this.#events.tell(scope.options.onLog, entry);
      },
      ended: (scope, error) => this.#settleFailed(scope, error),
    };
  }

  /** Listens to calls, and gives the function that stops listening. */
  on<E extends keyof ExecutorEvents>(event: E, listener: (payload: ExecutorEvents[E]) => unknown): () => void {
    return this.#events.on(event, listener);
  }

  off<E extends keyof ExecutorEvents>(event: E, listener: (payload: ExecutorEvents[E]) => unknown): void {
    this.#events.off(event, listener);
  }

  /** Calls a tool. Every failure is a result with a typed error. */
  execute(tool: Tool, given: unknown = {}, asked?: ToolContext | CallOptions): Promise<ToolResult> {
    const options: CallOptions = asked instanceof ToolContext ? { context: asked } : (asked ?? NO_OPTIONS);
    const bounds = boundsOf(options.context);
    if (bounds?.reaches(tool) === false)
      return Promise.resolve(this.refuse(bounds.explainUnknown(tool.metadata.name), options, given));
    if (isStandIn(tool)) return this.#handOn(tool, given, options);
    const callId = options.callId ?? newCallId();
    const coerce = options.coerce ?? this.#settings.coerce;
    const args = coerce || isServedTool(tool) ? withoutNulls(tool, given, this.#settings.inputLimits) : given;
    const scope = new CallScope({ tool, options, callId, started: this.#settings.clock.now() }, this.#host);
    const { lease, recorder, spans } = this.#settings;
    if (lease !== undefined) scope.release = lease(tool);
    const isTraced = spans?.tracing !== undefined;
    if (recorder !== undefined || isTraced) {
      const call = { tool, callId, args, context: ToolContext.from(options.context) };
      scope.trail = recorder?.begin(call);
      if (isTraced) scope.span = spans.begin(call);
    }
    if (this.#events.has('call:started')) this.#tellStart({ callId, tool: scope.toolName, args }, options);
    let output: unknown;
    try {
      const timeout = timeoutOf(scope, this.#settings);
      // Written so that NaN is refused too.
      if (!(timeout > 0)) throw badTimeout(timeout);
      scope.start(timeout, scope.started);
      if (scope.ended !== undefined) throw scope.ended;
      const checked = checkInput(tool, args, this.#settings.inputLimits, coerce);
      if (checked instanceof Promise || this.#guarded.concerns(scope, checked.ok ? checked.value : {})) {
        return this.#guarded
          .run(scope, checked, args)
          .then((result) => this.#closeInTurn(scope, result))
          .catch((thrown: unknown) => this.#fail(scope, thrown));
      }
      if (!checked.ok) throw new ToolError(explainIssues(tool, checked.issues, args));
      scope.attempts = 1;
      scope.trail?.enter('run');
      // A board's callers keep their arguments, with or without a policy; a tool may change what it gets.
      const input = this.#settings.guard === undefined ? checked.value : copyArguments(checked.value);
      const context = ToolContext.from(options.context).withRuntime(scope);
      output = scope.span === undefined ? tool.run(input, context) : scope.span.run(() => tool.run(input, context));
    } catch (thrown) {
      return Promise.resolve(this.#fail(scope, thrown));
    }
    if (!isThenable(output)) return Promise.resolve(this.#succeed(scope, output));
    return this.#settle(scope, output);
  }

  /** Answers a call that never reached a tool: an unknown name, unreadable arguments. */
  refuse(error: ToolError, options: CallOptions = NO_OPTIONS, args?: unknown): ToolResult {
    const callId = options.callId ?? newCallId();
    const tool = this.#settings.redactor().text(error.toolName ?? '<unnamed>');
    const refused = ToolResult.error(error).with({ meta: { tool, callId, durationMs: 0, attempts: 0 } });
    const result = this.#settings.redactor().isEmpty ? refused : redactResult(refused, this.#settings.redactor());
    const context = ToolContext.from(options.context);
    this.#settings.recorder?.begin({ tool, callId, args, context })?.end(result);
    this.#settings.spans?.begin({ tool, callId, args, context })?.end(result);
    this.#tellStart({ callId, tool, args }, options);
    this.#events.emit('call:finished', { callId, tool, result });
    return result;
  }

  /** A copy of a JSON-like value without the secrets that never leave a call. */
  redact(value: unknown): unknown {
    return this.#settings.redactor().data(value);
  }

  /** Takes the secrets out of everything that leaves the executor, with the secrets known now. */
  get redactor(): Redactor {
    return this.#settings.redactor();
  }

  /** Values (keys and items) that the arguments of a call may hold. */
  get maxValues(): number {
    return this.#settings.inputLimits.values;
  }

  /** @internal What keeps a record of its calls; `undefined` where nothing does. */
  get recorder(): CallRecorder | undefined {
    return this.#settings.recorder;
  }

  /** @internal What writes the spans of its calls; `undefined` where nothing does. */
  get tracing(): Tracing | undefined {
    return this.#settings.spans?.tracing;
  }

  #tellStart(call: Omit<ExecutorEvents['call:started'], 'context'>, { context }: CallOptions): void {
    this.#events.emit('call:started', { ...call, context: ToolContext.from(context) });
  }

  /** Refuses only arguments that no tool may get: the tool that is meant has its own checks. */
  #handOn(tool: StandIn, args: unknown, options: CallOptions): Promise<ToolResult> {
    // A string may be the whole call as JSON; its length counts.
    const issue = guardInput(typeof args === 'string' ? { args } : args, this.#settings.inputLimits);
    if (issue === undefined) return tool.handOn(args, options, this);
    return Promise.resolve(this.refuse(new ToolError(explainIssues(tool, [issue], args)), options));
  }

  /** The common call on the shortest way: one promise, nothing to wait for but the tool itself. */
  #settle(scope: CallScope, output: PromiseLike<unknown>): Promise<ToolResult> {
    return new Promise((resolve) => {
      scope.resolve = resolve;
      // The tool's first lines may have cancelled their own call.
      if (scope.ended !== undefined) this.#settleFailed(scope, scope.ended);
      output.then(
        (value) => {
          // Closing unsets it.
          const { resolve: answer } = scope;
          if (answer !== undefined) answer(this.#succeed(scope, value));
        },
        (thrown) => this.#settleFailed(scope, thrown),
      );
    });
  }

  #settleFailed(scope: CallScope, thrown: unknown): void {
    scope.resolve?.(this.#fail(scope, thrown));
  }

  #succeed(scope: CallScope, output: unknown): ToolResult | Promise<ToolResult> {
    try {
      return this.#closeInTurn(scope, shapeOutput(output, scope.toolName));
    } catch (thrown) {
      return this.#fail(scope, thrown);
    }
  }

  #fail(scope: CallScope, thrown: unknown): ToolResult {
    return this.#close(scope, ToolResult.error(scope.ended ?? toToolError(thrown, scope.toolName)));
  }

  /** Takes secrets out of a large result in slices, and ends when its long texts are kept; other results are closed at once. */
  #closeInTurn(scope: CallScope, result: ToolResult): ToolResult | Promise<ToolResult> {
    const redactor = this.#settings.redactor();
    if (redactor.isEmpty || !isLarge(result)) return whenKept(scope, this.#close(scope, result));
    // Its time is over no more: it has a result.
    scope.resolve = undefined;
    return redactInSlices(result, redactor)
      .then((clean) => whenKept(scope, this.#close(scope, clean, true)))
      .catch((thrown: unknown) => this.#fail(scope, thrown));
  }

  #close(scope: CallScope, result: ToolResult, isClean = false): ToolResult {
    scope.trail?.enter('shape');
    const finished = finishResult(scope, result, {
      maxOutput: scope.tool.metadata.maxOutput ?? this.#settings.maxOutput,
      maxMedia: scope.tool.metadata.maxMedia ?? this.#settings.maxMedia,
      redactor: isClean ? undefined : this.#settings.redactor(),
      now: this.#settings.clock.now(),
      modelOutput: this.#settings.modelOutput,
    });
    scope.close();
    scope.trail?.end(finished);
    scope.span?.end(finished);
    if (this.#events.has('call:finished'))
      this.#events.emit('call:finished', { callId: scope.callId, tool: scope.toolName, result: finished });
    return finished;
  }
}

function whenKept(scope: CallScope, result: ToolResult): ToolResult | Promise<ToolResult> {
  return scope.keeping === undefined ? result : scope.keeping.then(() => result);
}

function badTimeout(timeout: number): ToolError {
  const message = `The call's timeout must be milliseconds above 0, or Infinity for none; got ${timeout}.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'timeout' });
}

function newCallId(): string {
  return callIdPrefix + ++callCount;
}
