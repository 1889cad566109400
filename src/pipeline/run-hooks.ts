import { keepCall } from '../tool/calls/call-bounds.ts';
import { messageOf } from '../tool/texts/message-of.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import { checkInput } from './check-input.ts';
import { type ChangedArguments, copyArguments, isSame, refuseChange, resendArguments } from './final-arguments.ts';
import { type RunningCall, settled, type Steps, toPromise } from './running-call.ts';
import { shapeOutput } from './finish-result.ts';
import type { AfterExecute, BeforeExecute, HookName, HookPayloads, ToolHook } from './tool-hooks.ts';

/** Creates the stage that runs the before hooks. Changed arguments are checked as if the caller had sent them. */
export function runBefore(hooks: readonly ToolHook<BeforeExecute>[]) {
  const run = chainHooks('tool.before_execute', hooks, takeBefore);
  return (call: RunningCall): Steps | undefined => {
    const { context, scope, plan } = call;
    scope.trail?.enter('hooks');
    return run(call, { tool: plan.tool, args: copyArguments(call.args), context }, 0);
  };
}

function takeBefore(call: RunningCall, payload: BeforeExecute): Steps | undefined {
  // Read once: a hook may keep the payload and change it later.
  const { args, context, result } = payload;
  call.hooked = payload;
  if (result !== undefined) {
    call.args = args;
    call.context = context;
    call.result = shapeOutput(result, call.plan.name);
    return undefined;
  }
  const own = call.context;
  // A hook may have created a new context: the client and the bounds of the call stay.
  if (context !== own) call.context = keepCall(ToolContext.from(context), own);
  // Copied once: arguments from a hook may read differently each time.
  const changed = copyArguments(args);
  // The caller may have changed its object meanwhile: this counts as a change and is checked.
  if (!isSame(call.args, changed)) return checkChanged(call, { given: call.given, validated: call.args, changed });
  call.args = changed;
  return undefined;
}

function* checkChanged(call: RunningCall, changes: ChangedArguments): Steps {
  const { plan, scope } = call;
  const { inputLimits, coerce } = plan.host.settings;
  const sent = resendArguments(changes);
  const checked = yield* settled(checkInput(plan.tool, sent, inputLimits, scope.options.coerce ?? coerce));
  if (!checked.ok) throw refuseChange(plan.tool, checked.issues);
  call.args = copyArguments(checked.value);
}

/** Creates the stage that runs the after hooks. Each sees the result of the one before. */
export function runAfter(hooks: readonly ToolHook<AfterExecute>[]) {
  const run = chainHooks('tool.after_execute', hooks, (call, { result }) => {
    call.result = result === call.result ? result : shapeOutput(result, call.plan.name);
    return undefined;
  });
  return (call: RunningCall): Steps | undefined => {
    const { scope, args, context, result = ToolResult.text('') } = call;
    const { tool, name, host, timeout } = call.plan;
    scope.trail?.enter('hooks');
    // The tool may have used up its time; the hooks get their own.
    const now = host.settings.clock.now();
    scope.start(scope.options.timeout ?? timeout, now);
    const { callId, attempts } = scope;
    const meta = { ...result.meta, tool: name, callId, durationMs: now - scope.started, attempts };
    // A call with two hooks takes 6 % longer by `result.with`.
    const { text, data, content, error, modelOutput } = result;
    call.result = ToolResult.from({ text, data, content, error, meta, modelOutput });
    return run(call, { ...call.hooked, tool, args, context, result: call.result }, 0);
  };
}

type HookChain<P> = (call: RunningCall, payload: P, from: number) => Steps | undefined;

/**
 * Creates a function that runs hooks one after the other from a place on, and passes the last payload to `take`.
 *
 * A generator starts only with the first hook that answers later: with one for each stage, a call with two hooks takes 1.5 times as long.
 */
function chainHooks<N extends HookName>(
  name: N,
  hooks: readonly ToolHook<HookPayloads[N]>[],
  take: (call: RunningCall, payload: HookPayloads[N]) => Steps | undefined,
): HookChain<HookPayloads[N]> {
  // A hook that answers for the tool is the last one.
  const isLast = ({ result }: HookPayloads[N]): boolean => name === 'tool.before_execute' && result !== undefined;
  const run: HookChain<HookPayloads[N]> = (call, payload, from) => {
    const { tool, name: toolName } = call.plan;
    let next = payload;
    for (let place = from; place < hooks.length && !isLast(next); place++) {
      let outcome: unknown;
      try {
        outcome = hooks[place]?.(next);
      } catch (cause) {
        throw toHookError(name, toolName, cause);
      }
      const pending = toPromise(outcome);
      if (pending !== undefined) return resume(call, next, { pending, from: place + 1 });
      next = merge(next, outcome, tool);
    }
    return take(call, next);
  };
  function* resume(
    call: RunningCall,
    payload: HookPayloads[N],
    { pending, from }: { readonly pending: Promise<unknown>; readonly from: number },
  ): Steps {
    const { tool, name: toolName } = call.plan;
    let outcome: unknown;
    try {
      outcome = yield pending;
    } catch (cause) {
      throw toHookError(name, toolName, cause);
    }
    const rest = run(call, merge(payload, outcome, tool), from);
    if (rest !== undefined) yield* rest;
  }
  return run;
}

/** Returns the payload for the next hook. Its tool is the one that runs, even if the hook replaced it. */
function merge<P extends BeforeExecute | AfterExecute>(payload: P, outcome: unknown, tool: Tool): P {
  const isNew = typeof outcome === 'object' && outcome !== null && outcome !== payload;
  const next = !isNew ? payload : { ...payload, ...(outcome instanceof ToolResult ? { result: outcome } : outcome) };
  return next.tool === tool ? next : { ...next, tool };
}

function toHookError(name: HookName, toolName: string, cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  return new ToolError({
    code: 'execution_failed',
    message: `A ${name} hook failed: ${messageOf(cause)}`,
    toolName,
    cause,
  });
}
