import { boundsOf, type CallGuard, keepCall } from '../tool/calls/call-bounds.ts';
import { FairSlots, takeAll } from '../platform/fair-slots.ts';
import { ownerOf } from '../tool/calls/call-owner.ts';
import { isThenable } from '../tool/is-thenable.ts';
import { explainIssues } from '../tool/texts/explain-issues.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool, Validation } from '../tool/tool.ts';
import type { CallScope } from './call-scope.ts';
import { type CallSettings, retriesOf, timeoutOf } from './call-settings.ts';
import { checkInput } from './check-input.ts';
import {
  type ChangedArguments,
  copyArguments,
  freezeArguments,
  isChanged,
  refuseChange,
  refuseEdit,
  resendArguments,
} from './final-arguments.ts';
import { Asking } from './asking.ts';
import { rightsGuard } from './call-rights.ts';
import { judgeCall } from './judge-call.ts';
import { shapeOutput } from './shape-output.ts';
import { toToolError } from './to-tool-error.ts';
import type { BeforeExecute, ToolHooks } from './tool-hooks.ts';

const NO_GUARDS: readonly CallGuard[] = Object.freeze([]);

/** The calls that something steps into: an asynchronous schema, hooks, guards, slots or retries. */
export class GuardedCalls {
  readonly #settings: CallSettings;
  readonly #hooks: ToolHooks;
  readonly #slots: FairSlots | undefined;
  readonly #slotsByTool = new WeakMap<Tool, FairSlots>();

  constructor(settings: CallSettings, hooks: ToolHooks) {
    this.#settings = settings;
    this.#hooks = hooks;
    this.#slots = settings.concurrency === undefined ? undefined : new FairSlots({ limit: settings.concurrency });
  }

  /** Tells whether anything but an asynchronous schema steps into a call with these checked arguments. */
  concerns(scope: CallScope, args: unknown): boolean {
    return (
      this.#hooks.hasBefore ||
      this.#hooks.hasAfter ||
      this.#settings.isGuarded(scope.tool, args) ||
      this.#slots !== undefined ||
      scope.tool.metadata.concurrency !== undefined ||
      scope.trail?.beforeRun !== undefined ||
      scope.options.beforeRun !== undefined ||
      (boundsOf(scope.options.context)?.guards ?? NO_GUARDS).length > 0 ||
      rightsGuard(scope.tool, scope.options.context) !== undefined ||
      retriesOf(scope, this.#settings) !== 0
    );
  }

  /** Runs a call whose arguments are checked, or being checked: hooks, guards, the tool, hooks. Throws why it cannot run. */
  async run(scope: CallScope, checked: Validation | Promise<Validation>, given: unknown): Promise<ToolResult> {
    const { tool, options } = scope;
    const validation = checked instanceof Promise ? await scope.race(checked) : checked;
    if (!validation.ok) throw new ToolError(explainIssues(tool, validation.issues, given));
    const context = ToolContext.from(options.context).withRuntime(scope);
    // A validated input is an object: anything else was refused.
    const validated = validation.value as Record<string, unknown>;
    if (this.#hooks.hasBefore) scope.trail?.enter('hooks');
    const payload = this.#hooks.hasBefore
      ? await this.#runBefore(scope, { validated, context, given })
      : { tool, args: validated, context, result: undefined };
    const answered = payload.result === undefined ? undefined : shapeOutput(payload.result, scope.toolName);
    const result = answered ?? (await this.#runJudged(scope, payload));
    if (!this.#hooks.hasAfter) return result;
    scope.trail?.enter('hooks');
    // The tool's time may be used up; the hooks have their own.
    scope.start(timeoutOf(scope, this.#settings));
    const { toolName, callId, attempts } = scope;
    const durationMs = this.#settings.clock.now() - scope.started;
    const shown = result.with({ meta: { ...result.meta, tool: toolName, callId, durationMs, attempts } });
    const after = await waitFor(scope, this.#hooks.runAfter({ ...payload, result: shown }));
    return after.result === shown ? shown : shapeOutput(after.result, toolName);
  }

  /** Runs the before hooks. What they make of the arguments is checked as if the caller had sent it. */
  async #runBefore(
    scope: CallScope,
    call: { readonly validated: unknown; readonly context: ToolContext; readonly given: unknown },
  ): Promise<BeforeExecute> {
    const { tool } = scope;
    const { context, given } = call;
    const validated = copyArguments(call.validated);
    const hooked = await waitFor(scope, this.#hooks.runBefore({ tool, args: copyArguments(validated), context }));
    // A hook may keep what it was given and change it later.
    const payload = { ...hooked };
    if (payload.result !== undefined) return payload;
    const changes = { given, validated, changed: copyArguments(payload.args) };
    const args = isChanged(changes) ? await this.#checkChanged(scope, changes) : changes.changed;
    if (payload.context === context) return { ...payload, args };
    // A hook may have made a new context: the call is still this one.
    return { ...payload, args, context: keepCall(ToolContext.from(payload.context), context) };
  }

  async #checkChanged(scope: CallScope, changes: ChangedArguments): Promise<Record<string, unknown>> {
    const { tool, options } = scope;
    const sent = resendArguments(changes);
    const checked = await waitFor(
      scope,
      checkInput(tool, sent, this.#settings.inputLimits, options.coerce ?? this.#settings.coerce),
    );
    if (!checked.ok) throw refuseChange(tool, checked.issues);
    return copyArguments(checked.value);
  }

  /** Runs the tool once every guard has agreed: the board's, then those of the caller and of every caller above it. */
  async #runJudged(scope: CallScope, { args, context }: BeforeExecute): Promise<ToolResult> {
    const guards = this.#guardsFor(scope.tool, context);
    if (guards.length === 0) return this.#runAttempts(scope, () => args, context);
    const final = await this.#judge(guards, scope, { args: copyArguments(args), context });
    // Each attempt has its own copy, as a tool may change what it gets.
    const run = (): Promise<ToolResult> => this.#runAttempts(scope, () => copyArguments(final), context);
    return this.#settings.reserve === undefined ? run() : this.#runReserved(scope, { args: final, context }, run);
  }

  /** Runs a call with what it uses up taken before, and settles that afterwards, whatever happens. */
  async #runReserved(
    scope: CallScope,
    { args, context }: { readonly args: Record<string, unknown>; readonly context: ToolContext },
    run: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const { tool, callId, signal } = scope;
    const request = { tool, args: freezeArguments(args), context, callId, signal, answers: new Map() };
    const reserved = await this.#settings.reserve?.(request);
    if (reserved instanceof ToolError) throw reserved;
    let ok = false;
    try {
      if (scope.ended !== undefined) throw scope.ended;
      const result = await run();
      ({ ok } = result);
      return result;
    } finally {
      await reserved?.({ ok });
    }
  }

  /**
   * Gives the arguments that all guards agree to: those that came, or what a person made of them.
   *
   * A person may have to be asked, so the tool's time does not run meanwhile.
   */
  async #judge(
    guards: readonly CallGuard[],
    scope: CallScope,
    { args, context }: { readonly args: Record<string, unknown>; readonly context: ToolContext },
  ): Promise<Record<string, unknown>> {
    scope.trail?.enter('guard');
    scope.start(Infinity);
    const { tool, callId } = scope;
    const answers = new Map<unknown, unknown>();
    const asking = new Asking(scope, this.#settings.approvals);
    let final = args;
    for (;;) {
      const call = { tool, args: freezeArguments(final), context, callId, signal: scope.signal, answers, asking };
      const refusal = await scope.race(judgeCall(guards, call));
      if (refusal !== undefined) throw refusal;
      const edited = asking.takeRevision();
      if (edited === undefined) break;
      final = await this.#checkEdited(scope, edited);
    }
    if (asking.steps.length > 0) await scope.race(asking.finish());
    scope.start(timeoutOf(scope, this.#settings));
    return final;
  }

  async #checkEdited(scope: CallScope, edited: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const { inputLimits, coerce } = this.#settings;
    const checked = await waitFor(scope, checkInput(scope.tool, copyArguments(edited), inputLimits, coerce));
    if (!checked.ok) throw refuseEdit(scope.tool, checked.issues);
    return copyArguments(checked.value);
  }

  #guardsFor(tool: Tool, context: ToolContext): readonly CallGuard[] {
    const wanted = boundsOf(context)?.guards ?? NO_GUARDS;
    const guards = this.#settings.guard === undefined ? wanted : [this.#settings.guard, ...wanted];
    const rights = rightsGuard(tool, context);
    return rights === undefined ? guards : [rights, ...guards];
  }

  async #runAttempts(scope: CallScope, input: () => unknown, context: ToolContext): Promise<ToolResult> {
    const retries = retriesOf(scope, this.#settings);
    // What is not on disk is not run.
    if (scope.trail?.beforeRun !== undefined) await scope.race(scope.trail.beforeRun());
    for (;;) {
      scope.attempts++;
      const result = await this.#runOnce(scope, input(), context);
      if (scope.attempts > retries || result.ok || !result.error.recoverable) return result;
      scope.trail?.attempt?.(scope.attempts, result.error);
      scope.trail?.enter('queue');
      scope.start(Infinity);
      // Half to the whole of the delay, so that many callers do not come back at once.
      const delay = this.#settings.retryDelay * 2 ** (scope.attempts - 1) * (0.5 + Math.random() / 2);
      await scope.race(new Promise<void>((resolve) => this.#settings.clock.setTimer(resolve, delay)));
      scope.start(timeoutOf(scope, this.#settings));
    }
  }

  async #runOnce(scope: CallScope, input: unknown, context: ToolContext): Promise<ToolResult> {
    const { tool, toolName } = scope;
    const { beforeRun } = scope.options;
    let free: (() => void) | undefined;
    try {
      const slots = this.#slotsOf(tool);
      if (slots.length > 0) {
        scope.trail?.enter('queue');
        free = await takeAll(slots, sharerOf(scope, context), (wait) => scope.race(wait));
      }
      // The caller may have to note that the call happens before it can happen.
      if (scope.attempts === 1 && beforeRun !== undefined) await scope.race(beforeRun(tool));
      scope.trail?.enter('run');
      const output =
        scope.span === undefined ? tool.run(input, context) : scope.span.run(() => tool.run(input, context));
      return shapeOutput(isThenable(output) ? await scope.race(output) : output, toolName);
    } catch (thrown) {
      return ToolResult.error(scope.ended ?? toToolError(thrown, toolName));
    } finally {
      free?.();
    }
  }

  #slotsOf(tool: Tool): FairSlots[] {
    const slots = this.#slots === undefined ? [] : [this.#slots];
    const limit = tool.metadata.concurrency;
    if (limit === undefined) return slots;
    let own = this.#slotsByTool.get(tool);
    if (own === undefined) this.#slotsByTool.set(tool, (own = new FairSlots({ limit })));
    // The tool's own line first: waiting in it must not hold a slot that other tools could use.
    return [own, ...slots];
  }
}

/** The caller whose share of slots a call takes. A call within another has none: the outer one, which holds its slot, waits for it. */
function sharerOf({ options }: CallScope, context: ToolContext): string {
  const isWithin = options.context !== undefined && ToolContext.from(options.context).callId !== '';
  return isWithin ? '' : (ownerOf(context) ?? '');
}

/** Waits for work that is not done yet, but not past the call's end. */
function waitFor<T>(scope: CallScope, work: T | Promise<T>): T | Promise<T> {
  return work instanceof Promise ? scope.race(work) : work;
}
