import type { ApprovalAnswer, Approve } from '../../tool/calls/approval.ts';

/** Thrown where no one could be asked, so that `Promise.any` waits for the others. */
const UNAVAILABLE = new Error('no one to ask');

/**
 * Asks several at once, and takes the first answer; for the others the question is over then.
 *
 * One that reaches no person (`'unavailable'`), or fails, leaves it to the rest.
 */
export function firstAnswer(asked: readonly Approve[]): Approve {
  return async (request) => {
    const over = new AbortController();
    const signal = AbortSignal.any([request.signal, over.signal]);
    try {
      return await Promise.any(asked.map((approve) => answerOf(approve, { ...request, signal })));
    } catch (failure) {
      const reasons: readonly unknown[] = failure instanceof AggregateError ? failure.errors : [failure];
      const fault = reasons.find((reason) => reason !== UNAVAILABLE);
      if (fault !== undefined) throw fault;
      return 'unavailable';
    } finally {
      over.abort();
    }
  };
}

async function answerOf(approve: Approve, request: Parameters<Approve>[0]): Promise<ApprovalAnswer> {
  const answer = await approve(request);
  if (answer === 'unavailable') throw UNAVAILABLE;
  return answer;
}
