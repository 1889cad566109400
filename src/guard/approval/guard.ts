import { formatPath } from '../../tool/texts/explain-issues.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { isCodeTool, isDiscoveryTool, sureRefusalOf } from '../../tool/tool-marks.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { riskOfCall, showCallRisk } from '../../tool/parameters/call-risk.ts';
import { type ApprovalOptions, askApproval } from './ask-approval.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Policy } from '../policy/policy.ts';
import { refuseByRules } from './refusals.ts';

/** A policy's decision about a call: refuse it, or ask a person. */
export type DryVerdict =
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'asks'; readonly message: string };

/** Returns the policy's decision about a call without asking anyone; `undefined` when the call passes. */
export function foresee(policy: Policy, tool: Tool, args: Readonly<Record<string, unknown>>): DryVerdict | undefined {
  if (isDiscoveryTool(tool) && !isCodeTool(tool)) return undefined;
  const risk = riskOfCall(tool, args);
  const refusal = refuseByRules({ tool, args, risk }, (level) => whyRefused(policy.allows(tool, level)));
  if (refusal !== undefined) return { type: 'refused', message: refusal.message };
  const issues = policy.check(tool, args);
  if (issues.length > 0) {
    return { type: 'refused', message: issues.map(({ path, message }) => `${formatPath(path)} ${message}`).join('; ') };
  }
  if (!policy.needsApproval(tool, args, risk)) return undefined;
  return { type: 'asks', message: `a person must approve the call (risk: ${showCallRisk(tool, args)})` };
}

function whyRefused(decision: ReturnType<Policy['allows']>): string | undefined {
  return decision.ok ? undefined : decision.reason;
}

/** Creates the guard of a policy, which returns the error that refuses a call, or nothing. Calls do not wait for each other. */
export function createGuard(
  policy: Policy,
  options: ApprovalOptions = {},
): (request: GuardRequest) => Promise<ToolError | undefined> {
  return async (request) => {
    const { tool, args } = request;
    // Discovery tools need no approval; the calls they lead to are judged under their own names.
    if (isDiscoveryTool(tool) && !isCodeTool(tool)) return undefined;
    const call = { tool, args, risk: riskOfCall(tool, args) };
    const refusal =
      refuseByRules(call, (risk) => whyRefused(policy.allows(tool, risk))) ??
      (clientOf(request.context).page === undefined
        ? undefined
        : refuseByRules(call, (risk) => policy.refusesPage(tool, risk)));
    if (refusal !== undefined) return refusal;
    const issues = policy.check(tool, args);
    if (issues.length > 0) return new ToolError(explainIssues(tool, issues));
    if (!policy.needsApproval(tool, args, call.risk)) return undefined;
    // A call that the tool itself will refuse is refused before a person is asked.
    const known = await sureRefusalOf(tool)?.(args, request.signal);
    if (known !== undefined) return known;
    const asked = await askApproval(request, { ...options, terms: { ...options.terms, headless: policy.headless } });
    return asked.allow ? undefined : asked.error;
  };
}
