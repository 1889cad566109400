import type { Ticket } from '../platform/fair-slots.ts';
import { ownerOf } from '../tool/calls/call-owner.ts';
import { isThenable } from '../tool/is-thenable.ts';
import { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { copyArguments } from './final-arguments.ts';
import { type RunningCall, type Steps, toPromise } from './running-call.ts';

/** The stage that waits until an attempt may start: for the record, for slots, for the caller. Most calls need not wait. */
export function enterLimits(call: RunningCall): Steps | undefined {
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
    // The caller may have to record the call before it happens.
    if (options.beforeRun !== undefined && attempts === 1) yield options.beforeRun(plan.tool);
  } catch (thrown) {
    call.takeFailure(thrown);
  }
}

/** The stage that runs the tool. A failure is a result too, which after hooks see. */
export function runTool(call: RunningCall): Promise<unknown> | undefined {
  if (call.result !== undefined) return undefined;
  const { scope, context, plan } = call;
  const { tool } = plan;
  const { span } = scope;
  try {
    const input = inputOf(call);
    scope.trail?.enter('run');
    const output = span === undefined ? tool.run(input, context) : span.run(() => tool.run(input, context));
    if (isThenable(output)) return toPromise(output);
    call.takeOutput(output);
  } catch (thrown) {
    call.takeFailure(thrown);
  }
  return undefined;
}

/** The stage that retries after a temporary failure. */
export function retryFailed(call: RunningCall): Steps | undefined {
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

/** Returns a copy of the judged arguments for each attempt. Callers of a guarded board keep their arguments unchanged too. */
function inputOf({ args, judged, plan }: RunningCall): Record<string, unknown> {
  if (judged !== undefined) return copyArguments(judged);
  return plan.host.settings.guard === undefined ? args : copyArguments(args);
}

/** Takes one slot of each kind, in order. The call frees them when it has a result. */
function* takeSlots(call: RunningCall): Steps {
  const held: Ticket[] = [];
  call.free = () => {
    for (const ticket of held.splice(0)) ticket.leave();
  };
  const name = sharerOf(call);
  for (const slots of call.plan.slots) {
    const ticket = slots.take(name);
    if (ticket === undefined) throw new TypeError('Any number may wait for these slots.');
    held.push(ticket);
    if (ticket.granted !== undefined) yield ticket.granted;
  }
}

/**
 * Returns the caller whose share of slots a call uses. A nested call uses none, because the outer call waits for it and holds its own slot.
 */
function sharerOf({ scope: { options }, context }: RunningCall): string {
  const isWithin = options.context !== undefined && ToolContext.from(options.context).callId !== '';
  return isWithin ? '' : (ownerOf(context) ?? '');
}
