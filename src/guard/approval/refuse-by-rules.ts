import { raisingArguments } from '../../tool/parameters/call-risk.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { isWithinRisk, risksOf, type ToolRisk } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';
import { refuseTool } from './refusals.ts';

/** A call as rules see it. */
export interface RuledCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  /** The risk of the call. */
  readonly risk: ToolRisk;
}

/**
 * Refuses a call that rules forbid. `why` tells the reason for calls of the tool with a risk, `undefined` where they pass.
 *
 * Where calls with less risk pass, the error names the arguments that take this one beyond, and what to change.
 */
export function refuseByRules(call: RuledCall, why: (risk: ToolRisk) => string | undefined): ToolError | undefined {
  const { tool, risk } = call;
  const reason = why(risk);
  if (reason === undefined) return undefined;
  const less = risksOf(tool).filter((level) => level !== risk && isWithinRisk(level, risk) && why(level) === undefined);
  const most = less.find((level) => less.every((other) => isWithinRisk(other, level)));
  return most === undefined ? refuseTool(tool, reason) : refuseRaised(call, most, reason);
}

function refuseRaised({ tool, args, risk }: RuledCall, most: ToolRisk, reason: string): ToolError {
  const { name } = tool.metadata;
  const raising = raisingArguments(tool, args, most);
  const cause = `with ${raising.join(', ')} it is ${risk}, and ${reason}`;
  const passing = most === 'read' ? 'that only read' : `with the risk ${most} at most`;
  const those = raising.length === 1 ? 'that argument' : 'those arguments';
  const message = `This call of "${name}" is not allowed: ${cause}. Calls ${passing} are: leave ${those} out or give another value, or tell the user what you need it for.`;
  const field = raising[0]?.split('=')[0];
  return new ToolError({ code: 'permission_denied', message, toolName: name, field, reason: cause });
}
