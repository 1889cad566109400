import type { WaitingQuestion } from '../../tool/calls/approval.ts';
import type { CallApproval } from '../../tool/calls/call-approval.ts';

const above = new WeakMap<CallApproval, (question: WaitingQuestion) => void>();

/** Has a program that calls another one hear of the questions that the other waits for, to ask them with its own. */
export function hearBelow(approval: CallApproval, hear: (question: WaitingQuestion) => void): CallApproval {
  above.set(approval, hear);
  return approval;
}

/** Tells the program above of questions; where there is none, they are answered by those who find them. */
export function handUp(approval: CallApproval | undefined, questions: Iterable<WaitingQuestion>): void {
  const hear = approval === undefined ? undefined : above.get(approval);
  if (hear !== undefined) for (const question of questions) hear(question);
}
