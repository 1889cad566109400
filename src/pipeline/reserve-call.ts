import type { SettleCall } from '../tool/calls/call-bounds.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { copyArguments, freezeArguments } from './final-arguments.ts';
import type { RunningCall, Steps } from './running-call.ts';

/** The stage that reserves resources for a call after every guard has agreed. Most boards have none to reserve. */
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

/** Settles a call's reservation and returns its result. A failure to settle is reported and does not change the result. */
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
