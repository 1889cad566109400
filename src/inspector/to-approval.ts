import { plainQuestion } from '../policy/approval-message.ts';
import type { ApprovalInbox, PendingApproval } from '../policy/approval-inbox.ts';
import { spellOut } from '../policy/show-argument.ts';
import type { Approval, ApprovalList } from './api-types.ts';
import { describeCaller } from './describe-caller.ts';
import { showJson } from './show-json.ts';

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
  const { tool, description, risk, input, message, callId, context } = request;
  // The page shows the call itself: only what the tool's author asks is worth reading besides.
  const isPlain = message === plainQuestion(tool, risk, request.args);
  return {
    id,
    tool,
    description: spellOut(description),
    risk,
    args: showJson(input, redact),
    question: isPlain ? undefined : String(redact(message)),
    callId,
    caller: describeCaller(context),
    since,
  };
}
