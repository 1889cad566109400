import { FairSlots, type Ticket } from '../platform/fair-slots.ts';
import { sharerOf } from '../tool/calls/call-owner.ts';
import { explainIssues } from '../tool/texts/explain-issues.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { isServedTool } from '../tool/tool-marks.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool, Validation } from '../tool/tool.ts';
import { CallScope } from './call-scope.ts';
import { checkInput, withoutNulls } from './check-input.ts';
import type { CallHost } from './executor-options.ts';
import { copyArguments, freezeArguments } from './final-arguments.ts';
import { finishResult, isLarge, redactInSlices, redactResult } from './finish-result.ts';
import { judgeCall } from './judge-call.ts';
import { isProxyTool } from './proxy-tool.ts';
import { runAfter, runBefore } from './run-hooks.ts';
import { type CallPlan, RunningCall, type Stage, type Steps, toPromise } from './running-call.ts';
import type { SettleCall } from '../tool/calls/call-bounds.ts';

// The path of a call from top to bottom, as ARCHITECTURE.md describes it. `ToolExecutor` has resolved the tool.

/**
 * Compiles the stages of a tool's calls. `earlier` is the plan from before the hooks changed: its running calls still hold slots of the
 * tool.
 *
 * A call runs only the stages that its tool needs: deciding that for every call would take as long as the checks themselves.
 */
export function compileCall(tool: Tool, host: CallHost, earlier?: CallPlan): CallPlan {
  const { settings, hooks } = host;
  const { name, timeout, retries, concurrency, maxOutput, maxMedia, argumentRisks } = tool.metadata;
  const ownSlots = concurrency === undefined ? undefined : (earlier?.ownSlots ?? new FairSlots({ limit: concurrency }));
  const { beforeHooks, afterHooks } = hooks;
  const stages: (Stage | undefined)[] = [
    checkArguments,
    beforeHooks.length === 0 ? undefined : runBefore(beforeHooks),
    judgeCall,
    settings.reserve === undefined ? undefined : reserveCall,
    enterLimits,
    runTool,
    retryFailed,
    afterHooks.length === 0 ? undefined : runAfter(afterHooks),
  ];
  return {
    tool,
    name,
    host,
    version: hooks.version,
    proxy: isProxyTool(tool) ? tool : undefined,
    dropsNulls: isServedTool(tool),
    timeout: timeout ?? settings.timeout,
    retries: retries ?? settings.retries,
    maxOutput: maxOutput ?? settings.maxOutput,
    maxMedia: maxMedia ?? settings.maxMedia,
    hasArgumentRisks: argumentRisks !== undefined,
    ownSlots,
    // The tool's own line first: waiting in it must not contain a slot that other tools could use.
    slots: [ownSlots, host.slots].filter((slots) => slots !== undefined),
    stages: stages.filter((stage) => stage !== undefined),
    finish: finishCall,
  };
}

/** Starts a call: its record, its span and its event. Then its stages run. */
export function runCall(
  plan: CallPlan,
  given: unknown,
  call: Pick<CallScope, 'options' | 'callId'>,
): Promise<ToolResult> {
  const { tool, host } = plan;
  const { settings, events } = host;
  const { options, callId } = call;
  const dropsNulls = plan.dropsNulls || (options.coerce ?? settings.coerce);
  const args = dropsNulls ? withoutNulls(tool, given, settings.inputLimits) : given;
  const scope = new CallScope({ tool, options, callId, started: settings.clock.now() }, host);
  const { lease, recorder, spans } = settings;
  if (lease !== undefined) scope.release = lease(tool);
  const isTraced = spans?.tracing !== undefined;
  if (recorder !== undefined || isTraced) {
    const begun = { tool, callId, args, context: ToolContext.from(options.context) };
    scope.trail = recorder?.begin(begun);
    if (isTraced) scope.span = spans.begin(begun);
  }
  if (events.has('call:started'))
    events.emit('call:started', { callId, tool: plan.name, args, context: ToolContext.from(options.context) });
  return new RunningCall(plan, scope, args).run();
}

/** The first stage: starts the call's time and checks its arguments. */
function checkArguments(call: RunningCall): Steps | undefined {
  const { plan, scope, given } = call;
  const { inputLimits, coerce } = plan.host.settings;
  const timeout = scope.options.timeout ?? plan.timeout;
  // This form refuses NaN too.
  if (!(timeout > 0)) throw badTimeout(timeout);
  scope.start(timeout, scope.started);
  if (scope.ended !== undefined) throw scope.ended;
  const checked = checkInput(plan.tool, given, inputLimits, scope.options.coerce ?? coerce);
  if (checked instanceof Promise) return acceptLater(call, checked);
  accept(call, checked);
  return undefined;
}

function* acceptLater(call: RunningCall, checked: Promise<Validation>): Steps {
  // A call resumes with the value of the promise it waited for.
  accept(call, (yield checked) as Validation);
}

function accept(call: RunningCall, checked: Validation): void {
  if (!checked.ok) throw new ToolError(explainIssues(call.plan.tool, checked.issues, call.given));
  // A validated input is an object: anything else was refused.
  call.args = checked.value as Record<string, unknown>;
}

function badTimeout(timeout: number): ToolError {
  const message = `The call's timeout must be milliseconds above 0, or Infinity for none; got ${timeout}.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'timeout' });
}

/** The stage that reserves resources for a call after every guard has agreed. Most boards have none to reserve. */
function reserveCall(call: RunningCall): Steps | undefined {
  const { plan, result } = call;
  const reserve = result === undefined ? plan.host.settings.reserve?.() : undefined;
  if (reserve === undefined) return undefined;
  const { scope, context, judged, args } = call;
  const { callId, signal } = scope;
  const final = freezeArguments(judged ?? copyArguments(args));
  const request = { tool: plan.tool, args: final, context, callId, signal, answers: new Map() };
  return takeReserved(call, async () => reserve(request));
}

function* takeReserved(call: RunningCall, reserve: () => Promise<ToolError | SettleCall | undefined>): Steps {
  const pending = reserve();
  try {
    // A call resumes with the value of the promise it waited for.
    const taken = (yield pending) as Awaited<typeof pending>;
    if (taken instanceof ToolError) throw taken;
    call.reserved = taken;
  } catch (thrown) {
    // The call may have ended while it waited: a late reservation is released.
    void pending.then((late) => (typeof late === 'function' ? late({ ok: false }) : undefined)).catch(() => undefined);
    throw thrown;
  }
}

/** The stage that waits until an attempt may start: for the record, for slots, for the caller. Most calls need not wait. */
function enterLimits(call: RunningCall): Steps | undefined {
  const { plan, scope } = call;
  if (call.result !== undefined) return undefined;
  scope.attempts++;
  const isFree = plan.slots.length === 0 && scope.options.beforeRun === undefined;
  return isFree && scope.trail?.beforeRun === undefined ? undefined : awaitTurn(call);
}

function* awaitTurn(call: RunningCall): Steps {
  const { plan, scope } = call;
  const { trail, options, attempts } = scope;
  // A call that must be recorded on disk first waits for that.
  if (trail?.beforeRun !== undefined && attempts === 1) yield trail.beforeRun();
  try {
    if (plan.slots.length > 0) {
      trail?.enter('queue');
      yield* takeSlots(call);
    }
    // The caller may have to record the call before it runs.
    if (options.beforeRun !== undefined && attempts === 1) yield options.beforeRun(plan.tool);
  } catch (thrown) {
    call.takeFailure(thrown);
  }
}

/** Takes one slot of each kind, in order. The call frees them when it has a result. */
function* takeSlots(call: RunningCall): Steps {
  const held: Ticket[] = [];
  call.free = () => {
    for (const ticket of held.splice(0)) ticket.leave();
  };
  const { options } = call.scope;
  // A nested call uses no caller's share, because the outer call waits for it and holds its own slot.
  const isWithin = options.context !== undefined && ToolContext.from(options.context).callId !== '';
  const sharer = isWithin ? '' : sharerOf(call.context);
  for (const slots of call.plan.slots) {
    const ticket = slots.take(sharer);
    if (ticket === undefined) throw new TypeError('Any number may wait for these slots.');
    held.push(ticket);
    if (ticket.granted !== undefined) yield ticket.granted;
  }
}

/** The stage that runs the tool. A failure is a result too, which after hooks see. */
function runTool(call: RunningCall): Promise<unknown> | undefined {
  if (call.result !== undefined) return undefined;
  const { scope, context, plan } = call;
  const { tool } = plan;
  const { span } = scope;
  try {
    const input = inputOf(call);
    scope.trail?.enter('run');
    const output = span === undefined ? tool.run(input, context) : span.run(() => tool.run(input, context));
    const pending = toPromise(output);
    if (pending !== undefined) return pending;
    call.takeOutput(output);
  } catch (thrown) {
    call.takeFailure(thrown);
  }
  return undefined;
}

/** Returns a copy of the judged arguments for each attempt. Callers of a guarded board keep their arguments unchanged too. */
function inputOf({ args, judged, plan }: RunningCall): Record<string, unknown> {
  if (judged !== undefined) return copyArguments(judged);
  return plan.host.settings.guard === undefined ? args : copyArguments(args);
}

/** The stage that retries after a temporary failure. */
function retryFailed(call: RunningCall): Steps | undefined {
  const { result, scope, plan } = call;
  // A hook that answers leaves no attempt.
  if (result === undefined || result.ok || scope.attempts === 0) return undefined;
  if (scope.attempts > (scope.options.retries ?? plan.retries) || !result.error.recoverable) return undefined;
  return retryLater(call, result.error);
}

function* retryLater(call: RunningCall, error: ToolError): Steps {
  const { scope, plan } = call;
  const { retryDelay, clock } = plan.host.settings;
  scope.trail?.attempt?.(scope.attempts, error);
  scope.trail?.enter('queue');
  scope.start(Infinity);
  // Half to all of the delay, so that many callers do not return at once.
  const delay = retryDelay * 2 ** (scope.attempts - 1) * (0.5 + Math.random() / 2);
  yield new Promise<void>((resolve) => clock.setTimer(resolve, delay));
  scope.start(scope.options.timeout ?? plan.timeout);
  call.result = undefined;
  call.restart(enterLimits);
}

/** Finishes a call with any result: settles its reservation, removes secrets, in slices from a large result, and records it. */
function finishCall(call: RunningCall, result: ToolResult): ToolResult | Promise<ToolResult> {
  const { reserved } = call;
  call.reserved = undefined;
  const redactor = call.plan.host.settings.redactor();
  const finished = redactor.isEmpty
    ? closeCall(call, result)
    : !isLarge(result)
      ? closeCall(call, redactResult(result, redactor))
      : redactInSlices(result, redactor)
          .then((clean) => closeCall(call, clean))
          .catch((thrown: unknown) => call.fail(thrown));
  return reserved === undefined ? finished : settleReserved(reserved, finished);
}

/** Truncates the result, ends the call and records it. Resolves once long texts are stored. */
function closeCall({ plan, scope }: RunningCall, result: ToolResult): ToolResult | Promise<ToolResult> {
  const { events } = plan.host;
  scope.trail?.enter('shape');
  const finished = finishResult(scope, result, plan);
  scope.close();
  scope.trail?.end(finished);
  scope.span?.end(finished);
  if (events.has('call:finished'))
    events.emit('call:finished', { callId: scope.callId, tool: plan.name, result: finished });
  return scope.keeping === undefined ? finished : scope.keeping.then(() => finished);
}

/** Settles a call's reservation and returns its result. A failure to settle is reported and does not change the result. */
async function settleReserved(settle: SettleCall, result: ToolResult | Promise<ToolResult>): Promise<ToolResult> {
  const finished = await result;
  try {
    await settle({ ok: finished.ok });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    process.emitWarning(`A reservation could not be settled: ${why}`, 'PegboardReserveWarning');
  }
  return finished;
}
