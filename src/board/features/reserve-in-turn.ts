import type { ReserveCall, SettleCall } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** Joins the reservations of several features; when one refuses a call, those before it are settled. */
export function reserveInTurn(reservations: readonly ReserveCall[]): ReserveCall | undefined {
  if (reservations.length === 0) return undefined;
  return async (request) => {
    const taken: SettleCall[] = [];
    const settle: SettleCall = async (outcome) => {
      // Each is settled, also after one that fails.
      const settled = await Promise.allSettled(taken.map(async (one) => one(outcome)));
      const failed = settled.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    };
    try {
      for (const reserve of reservations) {
        const outcome = await reserve(request);
        if (outcome instanceof ToolError) {
          await settle({ ok: false });
          return outcome;
        }
        if (outcome !== undefined) taken.push(outcome);
      }
    } catch (thrown) {
      await settle({ ok: false });
      throw thrown;
    }
    return settle;
  };
}
