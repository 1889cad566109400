import { FairSlots } from '../platform/fair-slots.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import { Emitter } from '../tool/emitter.ts';
import { boundsOf } from '../tool/calls/call-bounds.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import { DEFAULT_INPUT_LIMITS } from '../tool/input-limits.ts';
import type { CallOptions } from './call-options.ts';
import type { CallRecorder } from './call-recorder.ts';
import { Deadlines } from './deadlines.ts';
import {
  type CallHost,
  type CallSettings,
  DEFAULTS,
  type ExecutorEvents,
  type ExecutorOptions,
} from './executor-options.ts';
import { redactResult } from './finish-result.ts';
import { forwardCall } from './proxy-tool.ts';
import { compileCall, runCall } from './run-call.ts';
import type { CallPlan } from './running-call.ts';
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
  readonly #plans = new WeakMap<Tool, CallPlan>();
  readonly #callIdPrefix = `call_${Math.random().toString(36).slice(2, 8)}_`;
  #callCount = 0;

  constructor(options: ExecutorOptions = {}) {
    const settings = readSettings(options);
    const events = new Emitter<ExecutorEvents>();
    const { concurrency: limit } = settings;
    const slots = limit === undefined ? undefined : new FairSlots({ limit });
    this.#host = { settings, events, hooks: this.hooks, deadlines: new Deadlines(settings.clock), slots };
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
    return runCall(plan, given, { options, callId: options.callId ?? this.#nextId() });
  }

  /** Creates the result of a call that never reached a tool: an unknown name, unreadable arguments. */
  refuse(error: ToolError, options: CallOptions = NO_OPTIONS, args?: unknown): ToolResult {
    const { recorder, spans } = this.#host.settings;
    const callId = options.callId ?? this.#nextId();
    const tool = this.redactor.text(error.toolName ?? '<unnamed>');
    const meta = { tool, callId, durationMs: 0, attempts: 0 };
    const result = redactResult(ToolResult.error(error).with({ meta }), this.redactor);
    const call = { tool, callId, args, context: ToolContext.from(options.context) };
    recorder?.begin(call)?.end(result);
    spans?.begin(call)?.end(result);
    this.#host.events.emit('call:started', call);
    this.#host.events.emit('call:finished', { callId, tool, result });
    return result;
  }

  /** Returns a copy of a JSON-like value without the secrets that never leave a call. */
  redact(value: unknown): unknown {
    return this.redactor.data(value);
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

  #nextId(): string {
    return this.#callIdPrefix + ++this.#callCount;
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

/** The minimum of each setting; below 1,000, values are not counted. */
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

/** Reads the options of an executor. Throws for those that would make every call hang or fail. */
function readSettings(options: ExecutorOptions): CallSettings {
  for (const [name, least] of Object.entries(LEAST)) {
    // The entries of a constant have its keys.
    const value = options[name as keyof typeof LEAST];
    if (value === undefined || typeof value === 'function' || value >= least) continue;
    const message = `The executor's ${name} must be ${least} or more; got ${value}.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: name, reason: `must be ${least} or more` });
  }
  const { secrets = [], maxInput, maxValues, ...others } = options;
  const given: typeof others = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...DEFAULTS,
    ...given,
    isGuarded: options.isGuarded ?? (() => options.guard !== undefined),
    inputLimits: {
      ...DEFAULT_INPUT_LIMITS,
      size: maxInput ?? DEFAULT_INPUT_LIMITS.size,
      get values() {
        return (typeof maxValues === 'function' ? maxValues() : maxValues) ?? DEFAULT_INPUT_LIMITS.values;
      },
    },
    redactor: toRedactor(secrets),
  };
}

/** Returns a function that returns the redactor, rebuilt only when the list of secrets has changed. */
function toRedactor(given: NonNullable<ExecutorOptions['secrets']>): () => Redactor {
  if (typeof given !== 'function') {
    const redactor = new Redactor(given);
    return () => redactor;
  }
  let known: readonly string[] = [];
  let made = new Redactor();
  return () => {
    const now = given();
    if (now instanceof Redactor) return now;
    if (now.length !== known.length || now.some((secret, index) => secret !== known[index])) {
      known = [...now];
      made = new Redactor(known);
    }
    return made;
  };
}
