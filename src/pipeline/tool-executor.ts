import { Emitter } from '../tool/emitter.ts';
import { explainIssues } from '../tool/texts/explain-issues.ts';
import { isThenable } from '../tool/is-thenable.ts';
import type { CallGuard } from '../tool/guard-request.ts';
import { boundsOf, withBounds } from '../tool/call-bounds.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool, Validation } from '../tool/tool.ts';
import type { CallLogEntry, CallProgress } from './call-events.ts';
import type { CallOptions } from './call-options.ts';
import { type CallHost, CallScope } from './call-scope.ts';
import { checkInput } from './check-input.ts';
import { type Clock, Deadlines, systemClock } from './deadlines.ts';
import { type CallLease, checkExecutorOptions, type ExecutorEvents, type ExecutorOptions } from './executor-options.ts';
import {
  type ChangedArguments,
  copyArguments,
  freezeArguments,
  isChanged,
  refuseChange,
  resendArguments,
} from './final-arguments.ts';
import { guardInput } from './guard-input.ts';
import { finishResult, redactResult, toModelOutput } from './finish-result.ts';
import { judgeCall } from './judge-call.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import { shapeOutput } from './shape-output.ts';
import { Slots, takeAll } from './slots.ts';
import { isStandIn, type StandIn } from './stand-in.ts';
import { toToolError } from './to-tool-error.ts';
import { type BeforeExecute, ToolHooks } from './tool-hooks.ts';

const DEFAULT_TIMEOUT = 30_000;
const DEFAULT_RETRY_DELAY = 200;
const DEFAULT_MAX_INPUT = 4_194_304;
const DEFAULT_MAX_OUTPUT = 1_048_576;
const MAX_DEPTH = 100;
const NO_OPTIONS: CallOptions = Object.freeze({});
const NO_GUARDS: readonly CallGuard[] = Object.freeze([]);

const sharedDeadlines = new Deadlines();
const callIdPrefix = `call_${Math.random().toString(36).slice(2, 8)}_`;
let callCount = 0;

/** Runs tools through the one pipeline: check, hooks, guards, limits, run, hooks, shape, record. Never throws. */
export class ToolExecutor {
  readonly hooks: ToolHooks = new ToolHooks();
  readonly #timeout: number;
  readonly #retries: number;
  readonly #retryDelay: number;
  readonly #coerce: boolean;
  readonly #maxOutput: number;
  readonly #modelOutput: ReturnType<typeof toModelOutput>;
  readonly #redactor: () => Redactor;
  readonly #clock: Clock;
  readonly #events = new Emitter<ExecutorEvents>();
  readonly #slots: Slots | undefined;
  readonly #slotsByTool = new WeakMap<Tool, Slots>();
  readonly #inputLimits: { readonly size: number; readonly depth: number };
  readonly #host: CallHost;
  readonly #guard: CallGuard | undefined;
  readonly #lease: CallLease | undefined;

  constructor(options: ExecutorOptions = {}) {
    checkExecutorOptions(options);
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT;
    this.#retries = options.retries ?? 0;
    this.#retryDelay = options.retryDelay ?? DEFAULT_RETRY_DELAY;
    this.#coerce = options.coerce ?? false;
    this.#maxOutput = options.maxOutput ?? DEFAULT_MAX_OUTPUT;
    this.#modelOutput = toModelOutput(options);
    this.#redactor = toRedactor(options.secrets ?? []);
    this.#clock = options.clock ?? systemClock;
    this.#guard = options.guard;
    this.#lease = options.lease;
    this.#slots = options.concurrency === undefined ? undefined : new Slots(options.concurrency);
    this.#inputLimits = { size: options.maxInput ?? DEFAULT_MAX_INPUT, depth: MAX_DEPTH };
    this.#host = {
      deadlines: options.clock === undefined ? sharedDeadlines : new Deadlines(options.clock),
      progress: (scope, given) => {
        // What a tool tells keeps its shape: only strings change.
        const progress = this.#redactor().data(given) as CallProgress;
        this.#events.emit('call:progress', progress);
        this.#events.tell(scope.options.onProgress, progress);
      },
      log: (entry) => this.#events.emit('call:log', this.#redactor().data(entry) as CallLogEntry),
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
  execute(tool: Tool, args: unknown = {}, given?: ToolContext | CallOptions): Promise<ToolResult> {
    const options: CallOptions = given instanceof ToolContext ? { context: given } : (given ?? NO_OPTIONS);
    const bounds = boundsOf(options.context);
    if (bounds?.reaches(tool) === false) {
      return Promise.resolve(this.refuse(bounds.explainUnknown(tool.metadata.name), options, args));
    }
    if (isStandIn(tool)) return this.#handOn(tool, args, options);
    const callId = options.callId ?? newCallId();
    const scope = new CallScope({ tool, options, callId, started: this.#clock.now() }, this.#host);
    if (this.#lease !== undefined) scope.release = this.#lease(tool);
    if (this.#events.has('call:started')) this.#tellStart({ callId, tool: scope.toolName, args }, options);
    let output: unknown;
    try {
      const timeout = this.#timeoutOf(scope);
      // Written so that NaN is refused too.
      if (!(timeout > 0)) throw badTimeout(timeout);
      scope.start(timeout, scope.started);
      if (scope.ended !== undefined) throw scope.ended;
      const checked = checkInput(tool, args, this.#inputLimits, options.coerce ?? this.#coerce);
      if (checked instanceof Promise || !this.#isPlain(scope)) return this.#executeGuarded(scope, checked, args);
      if (!checked.ok) throw new ToolError(explainIssues(tool, checked.issues, args));
      scope.attempts = 1;
      output = tool.run(checked.value, ToolContext.from(options.context).withRuntime(scope));
    } catch (thrown) {
      return Promise.resolve(this.#fail(scope, thrown));
    }
    if (!isThenable(output)) return Promise.resolve(this.#succeed(scope, output));
    return this.#settle(scope, output);
  }

  /** Answers a call that never reached a tool: an unknown name, unreadable arguments. */
  refuse(error: ToolError, options: CallOptions = NO_OPTIONS, args?: unknown): ToolResult {
    const callId = options.callId ?? newCallId();
    const tool = this.#redactor().text(error.toolName);
    const refused = ToolResult.error(error).with({ meta: { tool, callId, durationMs: 0, attempts: 0 } });
    const result = this.#redactor().isEmpty ? refused : redactResult(refused, this.#redactor());
    this.#tellStart({ callId, tool, args }, options);
    this.#events.emit('call:finished', { callId, tool, result });
    return result;
  }

  /** A copy of a JSON-like value without the secrets that never leave a call. */
  redact(value: unknown): unknown {
    return this.#redactor().data(value);
  }

  /** What takes the secrets out of all that leaves: the same for every edge, as it is now. */
  get redactor(): Redactor {
    return this.#redactor();
  }

  #tellStart(call: Omit<ExecutorEvents['call:started'], 'context'>, { context }: CallOptions): void {
    this.#events.emit('call:started', { ...call, context: ToolContext.from(context) });
  }

  /** Only what no tool should see is refused here: the tool that is meant has its own checks. */
  #handOn(tool: StandIn, args: unknown, options: CallOptions): Promise<ToolResult> {
    // A string may be the whole call as JSON; its length counts.
    const issue = guardInput(typeof args === 'string' ? { args } : args, this.#inputLimits);
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
          if (scope.resolve !== undefined) scope.resolve(this.#succeed(scope, value));
        },
        (thrown) => this.#settleFailed(scope, thrown),
      );
    });
  }

  #settleFailed(scope: CallScope, thrown: unknown): void {
    scope.resolve?.(this.#fail(scope, thrown));
  }

  /** The call with everything that may step in: an asynchronous schema, hooks, slots, retries. */
  async #executeGuarded(
    scope: CallScope,
    checked: Validation | Promise<Validation>,
    given: unknown,
  ): Promise<ToolResult> {
    const { tool, options } = scope;
    try {
      const validation = checked instanceof Promise ? await scope.race(checked) : checked;
      if (!validation.ok) throw new ToolError(explainIssues(tool, validation.issues, given));
      const context = ToolContext.from(options.context).withRuntime(scope);
      // A validated input is an object: anything else was refused.
      const validated = validation.value as Record<string, unknown>;
      const payload = this.hooks.hasBefore
        ? await this.#runBefore(scope, { validated, context, given })
        : { tool, args: validated, context, result: undefined };
      const result = payload.result ?? (await this.#runJudged(scope, payload));
      if (!this.hooks.hasAfter) return this.#succeed(scope, result);
      // The tool's time may be used up; the hooks have their own.
      scope.start(this.#timeoutOf(scope));
      const after = await waitFor(scope, this.hooks.runAfter({ ...payload, result }));
      return this.#succeed(scope, after.result);
    } catch (thrown) {
      return this.#fail(scope, thrown);
    }
  }

  /** Runs the before hooks. What they make of the arguments is checked as if the caller had sent it. */
  async #runBefore(
    scope: CallScope,
    call: { readonly validated: unknown; readonly context: ToolContext; readonly given: unknown },
  ): Promise<BeforeExecute> {
    const { tool } = scope;
    const { context, given } = call;
    const validated = copyArguments(call.validated);
    const hooked = await waitFor(scope, this.hooks.runBefore({ tool, args: copyArguments(validated), context }));
    // A hook may keep what it was given and change it later.
    const payload = { ...hooked };
    if (payload.result !== undefined) return payload;
    const changes = { given, validated, changed: copyArguments(payload.args) };
    const args = isChanged(changes) ? await this.#checkChanged(scope, changes) : changes.changed;
    if (payload.context === context) return { ...payload, args };
    // A hook may have made a new context: the call is still this one, within the same bounds.
    const own = withBounds(ToolContext.from(payload.context).withRuntime(scope), boundsOf(context));
    return { ...payload, args, context: own };
  }

  async #checkChanged(scope: CallScope, changes: ChangedArguments): Promise<Record<string, unknown>> {
    const { tool, options } = scope;
    const sent = resendArguments(changes);
    const checked = await waitFor(scope, checkInput(tool, sent, this.#inputLimits, options.coerce ?? this.#coerce));
    if (!checked.ok) throw refuseChange(tool, checked.issues);
    return copyArguments(checked.value);
  }

  /** Runs the tool once every guard has agreed: the board's, then those of the caller and of every caller above it. */
  async #runJudged(scope: CallScope, { args, context }: BeforeExecute): Promise<ToolResult> {
    const guards = this.#guardsFor(context);
    if (guards.length === 0) return this.#runAttempts(scope, () => args, context);
    const final = copyArguments(args);
    await this.#judge(guards, scope, { args: final, context });
    // Each attempt has its own copy, as a tool may change what it gets.
    return this.#runAttempts(scope, () => copyArguments(final), context);
  }

  /** A person may have to be asked, so the tool's time does not run meanwhile. */
  async #judge(
    guards: readonly CallGuard[],
    scope: CallScope,
    { args, context }: Pick<BeforeExecute, 'args' | 'context'>,
  ): Promise<void> {
    scope.start(Infinity);
    const { tool, callId } = scope;
    const call = { tool, args: freezeArguments(args), context, callId, signal: scope.signal };
    const refusal = await scope.race(judgeCall(guards, { ...call, answers: new Map() }));
    if (refusal !== undefined) throw refusal;
    scope.start(this.#timeoutOf(scope));
  }

  #guardsFor(context: ToolContext): readonly CallGuard[] {
    const wanted = boundsOf(context)?.guards ?? NO_GUARDS;
    return this.#guard === undefined ? wanted : [this.#guard, ...wanted];
  }

  async #runAttempts(scope: CallScope, input: () => unknown, context: ToolContext): Promise<ToolResult> {
    const retries = this.#retriesOf(scope);
    for (;;) {
      scope.attempts++;
      const result = await this.#runOnce(scope, input(), context);
      if (scope.attempts > retries || result.ok || !result.error.recoverable) return result;
      scope.start(Infinity);
      // Half to the whole of the delay, so that many callers do not come back at once.
      const delay = this.#retryDelay * 2 ** (scope.attempts - 1) * (0.5 + Math.random() / 2);
      await scope.race(new Promise<void>((resolve) => this.#clock.setTimer(resolve, delay)));
      scope.start(this.#timeoutOf(scope));
    }
  }

  async #runOnce(scope: CallScope, input: unknown, context: ToolContext): Promise<ToolResult> {
    const { tool, toolName } = scope;
    let free: (() => void) | undefined;
    try {
      const slots = this.#slotsOf(tool);
      if (slots.length > 0) free = await takeAll(slots, (wait) => scope.race(wait));
      const output = tool.run(input, context);
      return shapeOutput(isThenable(output) ? await scope.race(output) : output, toolName);
    } catch (thrown) {
      return ToolResult.error(scope.ended ?? toToolError(thrown, toolName));
    } finally {
      free?.();
    }
  }

  #succeed(scope: CallScope, output: unknown): ToolResult {
    try {
      return this.#close(scope, shapeOutput(output, scope.toolName));
    } catch (thrown) {
      return this.#fail(scope, thrown);
    }
  }

  #fail(scope: CallScope, thrown: unknown): ToolResult {
    return this.#close(scope, ToolResult.error(scope.ended ?? toToolError(thrown, scope.toolName)));
  }

  #close(scope: CallScope, result: ToolResult): ToolResult {
    const finished = finishResult(scope, result, {
      maxOutput: scope.tool.metadata.maxOutput ?? this.#maxOutput,
      redactor: this.#redactor(),
      now: this.#clock.now(),
      modelOutput: this.#modelOutput,
    });
    scope.close();
    if (this.#events.has('call:finished')) {
      this.#events.emit('call:finished', { callId: scope.callId, tool: scope.toolName, result: finished });
    }
    return finished;
  }

  #isPlain(scope: CallScope): boolean {
    return (
      !this.hooks.hasBefore &&
      !this.hooks.hasAfter &&
      this.#guard === undefined &&
      this.#slots === undefined &&
      scope.tool.metadata.concurrency === undefined &&
      (boundsOf(scope.options.context)?.guards ?? NO_GUARDS).length === 0 &&
      this.#retriesOf(scope) === 0
    );
  }

  #timeoutOf(scope: CallScope): number {
    return scope.options.timeout ?? scope.tool.metadata.timeout ?? this.#timeout;
  }

  #retriesOf(scope: CallScope): number {
    return scope.options.retries ?? scope.tool.metadata.retries ?? this.#retries;
  }

  #slotsOf(tool: Tool): Slots[] {
    const slots = this.#slots === undefined ? [] : [this.#slots];
    const limit = tool.metadata.concurrency;
    if (limit === undefined) return slots;
    let own = this.#slotsByTool.get(tool);
    if (own === undefined) this.#slotsByTool.set(tool, (own = new Slots(limit)));
    // The tool's own line first: waiting in it must not hold a slot that other tools could use.
    return [own, ...slots];
  }
}

/** What the secrets are taken out with; made anew only when a list is another one. */
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

function badTimeout(timeout: number): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    message: `The call's timeout must be milliseconds above 0, or Infinity for none; got ${timeout}.`,
    field: 'timeout',
  });
}

function newCallId(): string {
  return callIdPrefix + ++callCount;
}

/** Waits for work that is not done yet, but not past the call's end. */
function waitFor<T>(scope: CallScope, work: T | Promise<T>): T | Promise<T> {
  return work instanceof Promise ? scope.race(work) : work;
}
