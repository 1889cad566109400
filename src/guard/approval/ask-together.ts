import type { ApprovalAnswer, ApprovalRequest, Approve, WaitingQuestion } from '../../tool/calls/approval.ts';

type ApproveTogether = NonNullable<Approve['together']>;

/**
 * Asks the questions of several calls of one caller, in one question if the asking function supports that, and waits until any process of
 * the board has answered them all. Returns the outcome of each. Rejects when asking fails, and when a client will send its request again
 * with the answer.
 */
export async function askTogether(
  questions: readonly WaitingQuestion[],
  signal: AbortSignal,
): Promise<readonly ('answered' | 'unavailable')[]> {
  const groups = new Map<Approve, Group>();
  const waits = questions.map((question) => {
    const { approve } = question;
    const all = approve?.together;
    if (approve === undefined || all === undefined) return question.wait(approve, signal);
    const group = groups.get(approve) ?? new Group(all);
    groups.set(approve, group);
    // Asked below, once all members are known.
    return question.wait(group.join, signal);
  });
  for (const group of groups.values()) group.ask();
  const settled = await Promise.allSettled(waits);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : 'unavailable'));
}

/** Questions for the same person. */
class Group {
  readonly #all: ApproveTogether;
  readonly #members: { readonly request: ApprovalRequest; readonly answer: PromiseWithResolvers<ApprovalAnswer> }[] =
    [];

  constructor(all: ApproveTogether) {
    this.#all = all;
  }

  readonly join: Approve = (request) => {
    const answer = Promise.withResolvers<ApprovalAnswer>();
    this.#members.push({ request, answer });
    return answer.promise;
  };

  /** Asks about all members at once. The question ends when all of them are answered. */
  ask(): void {
    const members = this.#members;
    const over = new AbortController();
    let open = members.length;
    for (const { request } of members)
      request.signal.addEventListener('abort', () => --open === 0 && over.abort(request.signal.reason), { once: true });
    this.#all(
      members.map(({ request }) => request),
      over.signal,
    ).then(
      (answers) => {
        for (const [place, { answer }] of members.entries()) answer.resolve(answers[place] ?? 'unavailable');
      },
      (error: unknown) => {
        for (const { answer } of members) answer.reject(error);
      },
    );
  }
}

/** Adds the name of the person who answers, for the record. Answers that already contain a name stay unchanged. */
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

/** Thrown when no one can be asked, so that `Promise.any` waits for the others. */
const UNAVAILABLE = new Error('no one to ask');

/**
 * Asks several people at once, takes the first answer and cancels the other questions.
 *
 * If one cannot be asked (`'unavailable'`) or fails, the others still count.
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
