import { boundsOf, type CallGuard } from '../tool/calls/call-bounds.ts';
import { clientOf } from '../tool/calls/call-owner.ts';
import { riskOfCall } from '../tool/parameters/call-risk.ts';
import { ToolContext } from '../tool/tool-context.ts';
import type { ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';

type MayCall = (tool: Tool, risk: ToolRisk) => boolean;

/** Who makes a call, and which calls it may make. */
interface CallRights {
  readonly who: 'agent' | 'client';
  readonly mayCall: MayCall;
}

/**
 * Refuses a call that its arguments take beyond the rights of its caller: rules by risk that an agent's tools or a token's were
 * picked by. What a caller does not reach at all it does not find; tools that call others for it may.
 */
const guardRights: CallGuard = async ({ tool, args, context }) => {
  const rights = rightsOf(context);
  const risk = riskOfCall(tool, args);
  if (rights === undefined || rights.mayCall(tool, risk)) return undefined;
  const { refuseByRules } = await import('../guard/approval/refuse-by-rules.ts');
  const reason = `this ${rights.who} may not make such calls`;
  return refuseByRules({ tool, args, risk }, (level) => (rights.mayCall(tool, level) ? undefined : reason));
};

/** The guard of a caller's rights; `undefined` for most calls: where the arguments do not count, or the caller may make all. */
export function rightsGuard(
  tool: Tool,
  context: ToolContext | Readonly<Record<string, unknown>> | undefined,
): CallGuard | undefined {
  if (tool.metadata.argumentRisks === undefined) return undefined;
  return rightsOf(ToolContext.from(context)) === undefined ? undefined : guardRights;
}

/** Bounds say all about what their caller may do; a client's rights hold where there are none. */
function rightsOf(context: ToolContext): CallRights | undefined {
  const bounds = boundsOf(context);
  if (bounds !== undefined) {
    const { mayCall } = bounds;
    return mayCall === undefined ? undefined : { who: 'agent', mayCall };
  }
  const { mayUse } = clientOf(context);
  if (mayUse === undefined) return undefined;
  return { who: 'client', mayCall: (tool, risk) => !mayUse(tool) || mayUse(tool, risk) };
}
