import { formatPath } from '../../tool/texts/explain-issues.ts';
import type { Approve, ApprovalNotify, ApprovalRequest, MostWaiting } from '../../tool/calls/approval.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { sureRefusalOf } from '../../tool/calls/sure-refusal.ts';
import { isCodeTool, isDiscoveryTool } from '../../tool/tool-marks.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { raisedTo, riskOfCall, showCallRisk } from '../../tool/parameters/call-risk.ts';
import { approvalMessage } from './approval-message.ts';
import { askPerson } from './ask-person.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Policy } from '../policy/policy.ts';
import { refuseUnasked } from './refusals.ts';
import { refuseByRules } from './refuse-by-rules.ts';
import { declaredNames, showArgument } from './show-argument.ts';

/** Who is asked, and in which words. */
export interface GuardOptions {
  readonly approve?: Approve | undefined;
  /** The tool's own question, with `{argument}` where a value belongs. */
  readonly confirmMessage?: ((request: GuardRequest) => string | undefined | Promise<string | undefined>) | undefined;
  /** Takes secrets out of the question. Default: the question is shown as it is. */
  readonly redact?: ((value: unknown) => unknown) | undefined;
  /** Milliseconds for which a question may be answered. Default: a day. */
  readonly expires?: number | undefined;
  /** Who is told that a question waits. Default: no one. */
  readonly notify?: ApprovalNotify | undefined;
  readonly mostWaiting?: MostWaiting | undefined;
}

/** What a policy would make of a call: refuse it, or have a person asked. */
export type DryVerdict =
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'asks'; readonly message: string };

/** Tells what the policy would make of a call, and asks no one; `undefined` where it lets the call pass. */
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

const DAY = 24 * 60 * 60_000;

/** Makes the guard of a policy: it gives the error that refuses a call, or nothing. Calls do not wait for each other. */
export function createGuard(
  policy: Policy,
  options: GuardOptions = {},
): (request: GuardRequest) => Promise<ToolError | undefined> {
  return async (request) => {
    const { tool, args } = request;
    // To look around needs no leave; the call it leads to comes by here under its own name.
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
    const { approve, expires = DAY, notify, mostWaiting } = options;
    const { headless } = policy;
    const answered = await askPerson(request, {
      approve,
      terms: { headless, expires, notify, mostWaiting },
      write: () => writeRequest(request, options),
    });
    if (answered !== 'unavailable') return answered;
    if (headless === 'approve') return undefined;
    return refuseUnasked(tool, args, request.asking?.keeper !== undefined);
  };
}

async function writeRequest(request: GuardRequest, options: GuardOptions): Promise<ApprovalRequest> {
  const { tool, args, context, callId, signal } = request;
  const { name, description } = tool.metadata;
  const { redact = (value: unknown) => value } = options;
  // Texts change, shapes do not. What runs are the arguments as they are.
  const shown = redact({ description, input: args, template: await options.confirmMessage?.(request) }) as {
    description: string;
    input: GuardRequest['args'];
    template: string | undefined;
  };
  const { input, template } = shown;
  const risk = riskOfCall(tool, args);
  const raisedBy = raisedTo(tool, args, risk);
  const call = {
    tool: name,
    risk,
    input,
    declared: declaredNames(tool.inputSchema),
    template,
    ...(raisedBy.length === 0 ? {} : { raisedBy }),
  };
  const message = String(redact(approvalMessage(call)));
  return { ...call, description: shown.description, args: showArgument(input), message, callId, context, signal };
}
