import { togetherOf, withTogether } from './ask-together.ts';
import type { ApprovalAnswer, Approve } from '../../tool/calls/approval.ts';

/** Names who answers, for the record. Answers that name one themselves stay as they are. */
export function answeredBy(by: string, approve: Approve): Approve {
  const name = (answer: ApprovalAnswer): ApprovalAnswer => {
    if (answer === 'unavailable') return answer;
    if (answer === true) return { allow: true, by };
    if (answer === false) return { reason: '', by };
    return { by, ...answer };
  };
  const named: Approve = (request) => {
    const answer = approve(request);
    return answer instanceof Promise ? answer.then(name) : name(answer);
  };
  const all = togetherOf(approve);
  return all === undefined ? named : withTogether(named, async (...asked) => (await all(...asked)).map(name));
}

const unasked = new WeakSet<Approve>();

/** Marks a function that answers without a person, as `--yes` does: there is no question to keep. */
export function withoutPerson(approve: Approve): Approve {
  unasked.add(approve);
  return approve;
}

/** Returns true when a function answers without a person. */
export function asksNoPerson(approve: Approve): boolean {
  return unasked.has(approve);
}
