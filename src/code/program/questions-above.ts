import type { WaitingQuestion } from '../../tool/calls/approval.ts';
import type { CallApproval } from '../../tool/calls/call-runtime.ts';

const above = new WeakMap<CallApproval, (question: WaitingQuestion) => void>();

/** Lets a program that calls another one receive the other's pending questions, to ask them with its own. */
export function listenBelow(approval: CallApproval, listener: (question: WaitingQuestion) => void): CallApproval {
  above.set(approval, listener);
  return approval;
}

/** Reports questions to the program above, if there is one; otherwise people find them in the list of approvals. */
export function reportAbove(approval: CallApproval | undefined, questions: Iterable<WaitingQuestion>): void {
  const listener = approval === undefined ? undefined : above.get(approval);
  if (listener !== undefined) for (const question of questions) listener(question);
}
