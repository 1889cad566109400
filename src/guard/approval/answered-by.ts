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
  const { together } = approve;
  if (together === undefined) return named;
  return Object.assign(named, {
    together: async (...asked: Parameters<typeof together>) => (await together(...asked)).map(name),
  });
}
