import type { RuledCall } from '../guard/approval/refuse-by-rules.ts';
import { boundsOf, type CallGuard } from '../tool/calls/call-bounds.ts';
import { clientOf } from '../tool/calls/call-owner.ts';
import { riskOfCall } from '../tool/parameters/call-risk.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolError } from '../tool/tool-error.ts';
import type { ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';

type MayCall = (tool: Tool, risk: ToolRisk) => boolean;

interface CallRights {
  readonly who: 'agent' | 'client';
  readonly mayCall: MayCall;
}

/**
 * Refuses a call whose arguments raise its risk above the rights of its caller, an agent or a token. Tools entirely beyond the rights are
 * not found at all, except by tools that call others for the caller.
 */
const guardRights: CallGuard = ({ tool, args, context }) => {
  const rights = rightsOf(context);
  const risk = riskOfCall(tool, args);
  return rights === undefined || rights.mayCall(tool, risk) ? undefined : refuse({ tool, args, risk }, rights);
};

async function refuse(call: RuledCall, { who, mayCall }: CallRights): Promise<ToolError | undefined> {
  const { refuseByRules } = await import('../guard/approval/refuse-by-rules.ts');
  return refuseByRules(call, (level) =>
    mayCall(call.tool, level) ? undefined : `this ${who} may not make such calls`,
  );
}

/** Returns the guard of a caller's rights; `undefined` when the caller may make every call. */
export function rightsGuard(context: ToolContext): CallGuard | undefined {
  return rightsOf(context) === undefined ? undefined : guardRights;
}

/** Returns the rights of the bounds, if any, or those of the client. */
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
