import type { SettleCall } from '../tool/calls/call-bounds.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { copyArguments, freezeArguments } from './final-arguments.ts';
import type { RunningCall, Steps } from './running-call.ts';

/** The stage that takes what a call uses up, once every guard has agreed. Most boards have nothing to take. */
export function reserveCall(call: RunningCall): Steps | undefined {
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
    // A call is resumed with the value of the promise that it waited for.
    const taken = (yield pending) as Awaited<typeof pending>;
    if (taken instanceof ToolError) throw taken;
    call.reserved = taken;
  } catch (thrown) {
    // The call may have been ended while it waited: a reservation that comes later is given back.
    void pending.then((late) => (typeof late === 'function' ? late({ ok: false }) : undefined)).catch(() => undefined);
    throw thrown;
  }
}

/** Settles what a call took, and gives its result then. A failure to settle is reported; the result stays. */
export async function settleReserved(
  settle: SettleCall,
  result: ToolResult | Promise<ToolResult>,
): Promise<ToolResult> {
  const finished = await result;
  try {
    await settle({ ok: finished.ok });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    process.emitWarning(`A reservation could not be settled: ${why}`, 'PegboardReserveWarning');
  }
  return finished;
}
