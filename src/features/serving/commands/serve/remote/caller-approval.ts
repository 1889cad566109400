import type { AskedApproval, BoardMessage } from '../../../../../mcp/front/command-messages.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../../../tool/calls/approval.ts';

/** Asks the person at the terminal of another process, for the calls of its command line alone. */
export class CallerApproval {
  readonly #send: (message: BoardMessage) => void;
  readonly #open = new Map<number, (answers: readonly ApprovalAnswer[]) => void>();
  #last = 0;
  #isClosed = false;

  constructor(send: (message: BoardMessage) => void) {
    this.#send = send;
  }

  readonly approve: Approve = Object.assign(
    async (request: ApprovalRequest) => (await this.#ask([request], request.signal))[0] ?? 'unavailable',
    { together: (requests: readonly ApprovalRequest[], over: AbortSignal) => this.#ask(requests, over) },
  );

  answer(id: number, answers: readonly ApprovalAnswer[]): void {
    this.#open.get(id)?.(answers);
  }

  /** Denies all open questions: there is no terminal any more. */
  close(): void {
    this.#isClosed = true;
    for (const settle of this.#open.values()) settle([]);
  }

  async #ask(requests: readonly ApprovalRequest[], over: AbortSignal): Promise<readonly ApprovalAnswer[]> {
    const denied = requests.map(() => false);
    if (this.#isClosed || over.aborted) return denied;
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<readonly ApprovalAnswer[]>();
    const withdraw = (): void => {
      this.#send({ type: 'withdraw', id });
      resolve(denied);
    };
    this.#open.set(id, resolve);
    over.addEventListener('abort', withdraw, { once: true });
    this.#send({ type: 'ask', id, requests: requests.map(toData) });
    try {
      const answers = await promise;
      return requests.map((_, place) => answers[place] ?? false);
    } finally {
      this.#open.delete(id);
      over.removeEventListener('abort', withdraw);
    }
  }
}

function toData(request: ApprovalRequest): AskedApproval {
  const { tool, description, risk, raisedBy, args, input, declared, template, message, callId, approvalId } = request;
  return { tool, description, risk, raisedBy, args, input, declared, template, message, callId, approvalId };
}
