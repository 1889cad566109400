import { FairSlots } from '../platform/fair-slots.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';
import type { Redactor } from '../guard/secrets/redactor.ts';
import { Emitter } from '../tool/emitter.ts';
import { boundsOf } from '../tool/calls/call-bounds.ts';
import { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallOptions } from './call-options.ts';
import type { CallRecorder } from './call-recorder.ts';
import { CallScope, createScopeHost, type ScopeHost } from './call-scope.ts';
import { readSettings } from './call-settings.ts';
import { withoutNulls } from './check-input.ts';
import type { ExecutorEvents, ExecutorOptions } from './executor-options.ts';
import { redactResult } from './finish-result.ts';
import { forwardCall } from './proxy-tool.ts';
import { compileCall } from './run-call.ts';
import { type CallHost, type CallPlan, RunningCall } from './running-call.ts';
import { ToolHooks } from './tool-hooks.ts';

const NO_OPTIONS: CallOptions = Object.freeze({});

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
  readonly #host: CallHost;
  readonly #scopes: ScopeHost;
  readonly #plans = new WeakMap<Tool, CallPlan>();
  readonly #callIdPrefix = `call_${Math.random().toString(36).slice(2, 8)}_`;
  #callCount = 0;

  constructor(options: ExecutorOptions = {}) {
    const settings = readSettings(options);
    const events = new Emitter<ExecutorEvents>();
    const { concurrency: limit } = settings;
    const slots = limit === undefined ? undefined : new FairSlots({ limit });
    this.#host = { settings, events, hooks: this.hooks, slots };
    this.#scopes = createScopeHost(settings, events);
  }

  /** Listens to calls. Returns a function that stops listening. */
  on<E extends keyof ExecutorEvents>(event: E, listener: (payload: ExecutorEvents[E]) => unknown): () => void {
    return this.#host.events.on(event, listener);
  }

  off<E extends keyof ExecutorEvents>(event: E, listener: (payload: ExecutorEvents[E]) => unknown): void {
    this.#host.events.off(event, listener);
  }

  /** Calls a tool. Every failure is a result with a typed error. */
  execute(tool: Tool, given: unknown = {}, asked?: ToolContext | CallOptions): Promise<ToolResult> {
    const options: CallOptions = asked instanceof ToolContext ? { context: asked } : (asked ?? NO_OPTIONS);
    const bounds = boundsOf(options.context);
    if (bounds?.reaches(tool) === false)
      return Promise.resolve(this.refuse(bounds.explainUnknown(tool.metadata.name), options, given));
    const plan = this.#planOf(tool);
    if (plan.proxy !== undefined)
      return forwardCall(plan.proxy, given, { options, pipeline: this, limits: this.#host.settings.inputLimits });
    const { settings, events } = this.#host;
    const callId = options.callId ?? this.#callIdPrefix + ++this.#callCount;
    const dropsNulls = plan.dropsNulls || (options.coerce ?? settings.coerce);
    const args = dropsNulls ? withoutNulls(tool, given, settings.inputLimits) : given;
    const scope = new CallScope({ tool, options, callId, started: settings.clock.now() }, this.#scopes);
    const { lease, recorder, spans } = settings;
    if (lease !== undefined) scope.release = lease(tool);
    const isTraced = spans?.tracing !== undefined;
    if (recorder !== undefined || isTraced) {
      const call = { tool, callId, args, context: ToolContext.from(options.context) };
      scope.trail = recorder?.begin(call);
      if (isTraced) scope.span = spans.begin(call);
    }
    if (events.has('call:started')) this.#emitStart({ callId, tool: plan.name, args }, options);
    return new RunningCall(plan, scope, args).run();
  }

  /** Creates the result of a call that never reached a tool: an unknown name, unreadable arguments. */
  refuse(error: ToolError, options: CallOptions = NO_OPTIONS, args?: unknown): ToolResult {
    const callId = options.callId ?? this.#callIdPrefix + ++this.#callCount;
    const tool = this.#host.settings.redactor().text(error.toolName ?? '<unnamed>');
    const refused = ToolResult.error(error).with({ meta: { tool, callId, durationMs: 0, attempts: 0 } });
    const result = this.#host.settings.redactor().isEmpty
      ? refused
      : redactResult(refused, this.#host.settings.redactor());
    const context = ToolContext.from(options.context);
    this.#host.settings.recorder?.begin({ tool, callId, args, context })?.end(result);
    this.#host.settings.spans?.begin({ tool, callId, args, context })?.end(result);
    this.#emitStart({ callId, tool, args }, options);
    this.#host.events.emit('call:finished', { callId, tool, result });
    return result;
  }

  /** Returns a copy of a JSON-like value without the secrets that never leave a call. */
  redact(value: unknown): unknown {
    return this.#host.settings.redactor().data(value);
  }

  /** The redactor for everything that leaves the executor, with the currently known secrets. */
  get redactor(): Redactor {
    return this.#host.settings.redactor();
  }

  /** Maximum values (keys and items) of a call's arguments. */
  get maxValues(): number {
    return this.#host.settings.inputLimits.values;
  }

  /** @internal The recorder of its calls, if any. */
  get recorder(): CallRecorder | undefined {
    return this.#host.settings.recorder;
  }

  /** @internal The writer of its calls' spans, if any. */
  get tracing(): Tracing | undefined {
    return this.#host.settings.spans?.tracing;
  }

  #emitStart(call: Omit<ExecutorEvents['call:started'], 'context'>, { context }: CallOptions): void {
    this.#host.events.emit('call:started', { ...call, context: ToolContext.from(context) });
  }

  /** Returns the plan of a tool's calls, compiled on the first call and when hooks have changed. */
  #planOf(tool: Tool): CallPlan {
    const known = this.#plans.get(tool);
    if (known !== undefined && known.version === this.hooks.version) return known;
    const plan = compileCall(tool, this.#host, known);
    this.#plans.set(tool, plan);
    return plan;
  }
}
