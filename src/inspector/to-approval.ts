import { isPlainObject } from '../tool/json.ts';
import { fillTemplate } from '../guard/approval/approval-message.ts';
import type { ApprovalInbox, PendingApproval } from '../guard/approval/approval-inbox.ts';
import { writeArguments } from '../guard/approval/show-argument.ts';
import type { Approval, ApprovalList } from './api-types.ts';
import { describeCaller } from '../tool/call-owner.ts';

type Redact = (value: unknown) => unknown;

/** Everything in the inbox, as the page shows it: whole arguments, no secrets. */
export function toApprovals(inbox: ApprovalInbox | undefined, redact: Redact): ApprovalList {
  if (inbox === undefined) return { pending: [], settled: [] };
  return {
    pending: inbox.pending().map((pending) => toApproval(pending, redact)),
    settled: inbox.settled().map((settled) => {
      const { outcome, reason, at } = settled;
      return { ...toApproval(settled, redact), outcome, reason, at };
    }),
  };
}

function toApproval({ id, request, since }: PendingApproval, redact: Redact): Approval {
  const { tool, description, risk, declared, template, callId, context } = request;
  // Before they are written: in quotes a secret may be spelt otherwise.
  const redacted = redact(request.input);
  const input = isPlainObject(redacted) ? redacted : {};
  return {
    id,
    tool,
    description,
    risk,
    args: writeArguments(input, declared)
      .map(({ label, text }) => `${label}: ${text}`)
      .join('\n'),
    question: template === undefined ? undefined : String(redact(fillTemplate(template, input).words)),
    callId,
    caller: describeCaller(context),
    since,
  };
}
