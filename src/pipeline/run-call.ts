import { FairSlots } from '../platform/fair-slots.ts';
import { explainIssues } from '../tool/texts/explain-issues.ts';
import { isServedTool } from '../tool/tool-marks.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Tool, Validation } from '../tool/tool.ts';
import { checkInput } from './check-input.ts';
import { finishResult, isLarge, redactInSlices, redactResult } from './finish-result.ts';
import { judgeCall } from './judge-call.ts';
import { reserveCall, settleReserved } from './reserve-call.ts';
import { isProxyTool } from './proxy-tool.ts';
import { runAfter, runBefore } from './run-hooks.ts';
import { enterLimits, retryFailed, runTool } from './run-tool.ts';
import type { CallHost, CallPlan, RunningCall, Stage, Steps } from './running-call.ts';

/**
 * Compiles the stages of a tool's calls, in the order of ARCHITECTURE.md. `earlier` is the plan before hooks changed: its running calls
 * still
 * hold slots of the tool.
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
    reserveCall,
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
    // The tool's own line first: waiting in it must not hold a slot that other tools could use.
    slots: [ownSlots, host.slots].filter((slots) => slots !== undefined),
    stages: stages.filter((stage) => stage !== undefined),
    finish: (call, result) => {
      const finished = finishCall(call, result);
      return call.reserved === undefined ? finished : settleReserved(call.reserved, finished);
    },
  };
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

/** Removes secrets from the result: in slices if it is large, so that other calls can run meanwhile. */
function finishCall(call: RunningCall, result: ToolResult): ToolResult | Promise<ToolResult> {
  const redactor = call.plan.host.settings.redactor();
  if (redactor.isEmpty) return closeCall(call, result);
  if (!isLarge(result)) return closeCall(call, redactResult(result, redactor));
  return redactInSlices(result, redactor)
    .then((clean) => closeCall(call, clean))
    .catch((thrown: unknown) => call.fail(thrown));
}

/** Truncates the result, ends the call and records it. Resolves once long texts are stored. */
function closeCall({ plan, scope }: RunningCall, result: ToolResult): ToolResult | Promise<ToolResult> {
  const { settings, events } = plan.host;
  scope.trail?.enter('shape');
  const finished = finishResult(scope, result, {
    maxOutput: plan.maxOutput,
    maxMedia: plan.maxMedia,
    now: settings.clock.now(),
    modelOutput: settings.modelOutput,
  });
  scope.close();
  scope.trail?.end(finished);
  scope.span?.end(finished);
  if (events.has('call:finished'))
    events.emit('call:finished', { callId: scope.callId, tool: plan.name, result: finished });
  return scope.keeping === undefined ? finished : scope.keeping.then(() => finished);
}

function badTimeout(timeout: number): ToolError {
  const message = `The call's timeout must be milliseconds above 0, or Infinity for none; got ${timeout}.`;
  return new ToolError({ code: 'invalid_arguments', message, field: 'timeout' });
}
