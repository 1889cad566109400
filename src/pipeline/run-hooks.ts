import { keepCall } from '../tool/calls/call-bounds.ts';
import { isThenable } from '../tool/is-thenable.ts';
import { messageOf } from '../tool/texts/message-of.ts';
import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import type { Tool } from '../tool/tool.ts';
import { checkInput } from './check-input.ts';
import { type ChangedArguments, copyArguments, isSame, refuseChange, resendArguments } from './final-arguments.ts';
import { type RunningCall, settled, type Steps, toPromise } from './running-call.ts';
import { shapeOutput } from './shape-output.ts';
import type { AfterExecute, BeforeExecute, HookName, HookPayloads, ToolHook } from './tool-hooks.ts';

/** Creates the stage that runs the before hooks. Changed arguments are checked as if the caller had sent them. */
export function runBefore(hooks: readonly ToolHook<BeforeExecute>[]) {
  return function* before(call: RunningCall): Steps {
    const { context, scope } = call;
    const { tool, name } = call.plan;
    scope.trail?.enter('hooks');
    const validated = copyArguments(call.args);
    let payload: BeforeExecute = { tool, args: copyArguments(validated), context };
    for (const hook of hooks) {
      const given = callHook('tool.before_execute', hook, payload);
      payload = merge(payload, isThenable(given) ? yield* awaitHook('tool.before_execute', given, name) : given, tool);
      // A hook that answers for the tool is the last one.
      if (payload.result !== undefined) break;
    }
    // Copied, because a hook may keep the payload and change it later.
    const hooked = { ...payload };
    call.hooked = hooked;
    if (hooked.result !== undefined) {
      call.args = hooked.args;
      call.context = hooked.context;
      call.result = shapeOutput(hooked.result, name);
      return;
    }
    // Read once: arguments from a hook may read differently each time.
    const changes = { given: call.given, validated, changed: copyArguments(hooked.args) };
    call.args = isSame(validated, changes.changed) ? validated : yield* checkChanged(call, changes);
    // A hook may have created a new context: the client and the bounds of the call stay.
    if (hooked.context !== context) call.context = keepCall(ToolContext.from(hooked.context), context);
  };
}

function* checkChanged({ plan, scope }: RunningCall, changes: ChangedArguments): Steps<Record<string, unknown>> {
  const { inputLimits, coerce } = plan.host.settings;
  const sent = resendArguments(changes);
  const checked = yield* settled(checkInput(plan.tool, sent, inputLimits, scope.options.coerce ?? coerce));
  if (!checked.ok) throw refuseChange(plan.tool, checked.issues);
  return copyArguments(checked.value);
}

/** Creates the stage that runs the after hooks. Each sees the result of the one before. */
export function runAfter(hooks: readonly ToolHook<AfterExecute>[]) {
  return function* after(call: RunningCall): Steps {
    const { scope, args, context, result = ToolResult.text('') } = call;
    const { tool, name, host, timeout } = call.plan;
    scope.trail?.enter('hooks');
    // The tool may have used up its time; the hooks have their own.
    const now = host.settings.clock.now();
    scope.start(scope.options.timeout ?? timeout, now);
    const { callId, attempts } = scope;
    const durationMs = now - scope.started;
    const shown = result.with({ meta: { ...result.meta, tool: name, callId, durationMs, attempts } });
    let payload: AfterExecute = { ...call.hooked, tool, args, context, result: shown };
    for (const hook of hooks) {
      const given = callHook('tool.after_execute', hook, payload);
      payload = merge(payload, isThenable(given) ? yield* awaitHook('tool.after_execute', given, name) : given, tool);
    }
    call.result = payload.result === shown ? shown : shapeOutput(payload.result, name);
  };
}

function callHook<N extends HookName>(name: N, hook: ToolHook<HookPayloads[N]>, payload: HookPayloads[N]): unknown {
  try {
    return hook(payload);
  } catch (cause) {
    throw toHookError(name, payload.tool.metadata.name, cause);
  }
}

function* awaitHook(name: HookName, outcome: PromiseLike<unknown>, toolName: string): Steps<unknown> {
  try {
    return yield toPromise(outcome);
  } catch (cause) {
    throw toHookError(name, toolName, cause);
  }
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
