import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { raisingArguments, showCallRisk } from '../../tool/parameters/call-risk.ts';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import { isWithinRisk, risksOf, type ToolRisk } from '../../tool/tool-metadata.ts';

const MAX_REASON = 1_000;

function refuseTool(tool: Tool, reason: string): ToolError {
  const { name } = tool.metadata;
  const message = `The policy does not allow "${name}": ${reason}. Do not call it again: use another tool, or tell the user what you need it for.`;
  return new ToolError({ code: 'permission_denied', message, toolName: name, reason });
}

/** Creates the error for a call that a person denied, with the person's reason for the model. */
export function refuseByPerson(toolName: string, words?: string): ToolError {
  const asked = `The user was asked about this call of "${toolName}" and`;
  const said = revealHidden(words ?? '').trim();
  const reason = said.length > MAX_REASON ? `${said.slice(0, MAX_REASON)}…` : said;
  return new ToolError({
    code: 'permission_denied',
    message:
      reason === ''
        ? `${asked} said no. Do not repeat it: ask the user what to do instead.`
        : `${asked} did not allow it: "${reason}" Do not repeat it as it is: follow the reason given, or ask the user what to do instead.`,
    toolName,
    reason: reason === '' ? 'refused by the user' : reason,
  });
}

/**
 * Creates the error for a call that needs approval when no one can be asked. If the board stores questions, the error says that the call
 * could wait.
 */
export function refuseUnasked(tool: Tool, args: Readonly<Record<string, unknown>>, couldWait: boolean): ToolError {
  const { name } = tool.metadata;
  const change = couldWait
    ? 'set policy.approval to headless: wait, with which such calls wait for: pegboard approvals allow'
    : 'change the policy';
  const message = `A person must approve calls of "${name}" (risk: ${showCallRisk(tool, args)}), and no one can be asked here. Tell the user what you would do with it, so that they can do it themselves or ${change}.`;
  return new ToolError({ code: 'approval_required', message, toolName: name, reason: 'no one to ask' });
}

export function refuseUnanswered(toolName: string, cause: unknown): ToolError {
  const message = `A person must approve calls of "${toolName}", and asking them failed. Tell the user that they were not asked.`;
  return new ToolError({ code: 'approval_required', message, toolName, reason: 'asking failed', cause });
}

/** Creates the error for a call that ended before the answer. */
export function refuseEnded(toolName: string, signal: AbortSignal): ToolError {
  const reason: unknown = signal.reason;
  if (reason instanceof ToolError) return reason;
  const message = `The call of "${toolName}" ended before anybody had approved it.`;
  return new ToolError({ code: 'cancelled', message, toolName, cause: reason });
}

/** Creates the error for a call that must not wait for an answer when the board stores no questions. */
export function refuseUndeferred(tool: Tool, args: Readonly<Record<string, unknown>>): ToolError {
  const { name } = tool.metadata;
  const message = `A person must approve calls of "${name}" (risk: ${showCallRisk(tool, args)}), and a call with approval.defer needs a board that keeps the question. Open one with openBoard, or leave defer out.`;
  return new ToolError({ code: 'approval_required', message, toolName: name, reason: 'questions are not stored' });
}

export function refuseUntilAnswered(toolName: string, approvalId: string, expiresAt: number): ToolError {
  const message = `A person must approve this call of "${toolName}", and has been asked (approval ${approvalId}, until ${new Date(expiresAt).toISOString()}). It has not run. Continue with other work, or tell the user that it waits for their approval; do not try another way to do the same.`;
  return new ToolError({ code: 'approval_required', message, toolName, reason: 'waits for an answer', approvalId });
}

export function refuseExpired(toolName: string, approvalId: string): ToolError {
  const message = `A person had to approve this call of "${toolName}" and did not answer in time (approval ${approvalId}). It has not run. Tell the user; repeat the call only when they say that they will answer.`;
  return new ToolError({ code: 'approval_required', message, toolName, reason: 'expired', approvalId });
}

/** Creates the error for a call whose caller has too many open questions. */
export function refuseCrowd(toolName: string, count: number, whose: string): ToolError {
  const message = `A person must approve this call of "${toolName}", and ${count} calls ${whose} are waiting already (policy.approval.max_waiting). It has not run. Repeat it when some of those are answered.`;
  return new ToolError({ code: 'approval_required', message, toolName, reason: 'too many wait' });
}

/** Creates the error for a call whose arguments are too large to show to a person. */
export function refuseLarge(toolName: string, size: number, most: number): ToolError {
  const message = `A person must approve this call of "${toolName}", and its arguments have ${size.toLocaleString('en-US')} bytes as JSON, more than the ${most.toLocaleString('en-US')} that a person can be asked about. It has not run. Pass less in one call: a part of the data, or the name of a file that has it.`;
  return new ToolError({ code: 'invalid_arguments', message, toolName });
}

/** Creates the error for a repeated call whose approval was already used. */
export function refuseSpent(toolName: string, approvalId: string): ToolError {
  const message = `This call of "${toolName}" was approved and started before (approval ${approvalId}), but its outcome is unknown. Check what it would have changed before you make a new call.`;
  return new ToolError({
    code: 'outcome_unknown',
    message,
    toolName,
    reason: 'the approval was used before',
    approvalId,
  });
}

export interface RuledCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly risk: ToolRisk;
}

/**
 * Refuses a call that rules forbid. `why` returns the reason for calls of the tool with a risk, or `undefined`.
 *
 * When calls with less risk pass, the error names the arguments that raise the risk, and what to change.
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

/** Thrown by a function that asks by ending the request: the client sends the request again with the answer. */
export class AskedByRetry extends Error {
  constructor(cause?: unknown) {
    super('The client is asked first; the call runs when it sends the answers.', { cause });
    this.name = 'AskedByRetry';
  }
}

/** Returns true when an error comes from a question that ended the request. */
export function isFromRetry(error: unknown): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 20; one = one.cause, depth++)
    if (one instanceof AskedByRetry) return true;
  return false;
}
