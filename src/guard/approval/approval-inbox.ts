import { randomUUID } from 'node:crypto';
import { Emitter } from '../../tool/emitter.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../tool/calls/approval.ts';

/** A question that waits for an answer. */
export interface PendingApproval {
  readonly id: string;
  readonly request: ApprovalRequest;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The answer to a question. */
export type ApprovalDecision =
  | { readonly allow: true }
  /** The model reads the reason. */
  | { readonly allow: false; readonly reason?: string | undefined };

/** A question that is closed: answered here, or `ended` because its call ended or it was answered elsewhere. */
export interface SettledApproval extends PendingApproval {
  readonly outcome: 'allowed' | 'denied' | 'ended';
  readonly reason: string | undefined;
  readonly at: number;
}

/** Events of an inbox. */
export interface InboxEvents extends Record<string, unknown> {
  asked: PendingApproval;
  settled: SettledApproval;
}

interface Waiting extends PendingApproval {
  settle(answer: ApprovalAnswer, how: Pick<SettledApproval, 'outcome' | 'reason'>): SettledApproval;
}

const MAX_SETTLED = 100;
const CLOSED = 'No one answered before the approvals were closed.';

/**
 * Stores questions in memory until a person answers them, for example on a page, in a chat or on a phone.
 *
 * @example
 * const inbox = new ApprovalInbox();
 * const board = await openBoard('pegboard.yaml', { approve: inbox.ask });
 * inbox.on('asked', ({ id, request }) => {
 *   if (request.tool === 'deploy') inbox.answer(id, { allow: false, reason: 'Not on a Friday.' });
 * });
 */
export class ApprovalInbox {
  readonly #waiting = new Map<string, Waiting>();
  /** The last closed questions, newest last. */
  readonly #settled = new Map<string, SettledApproval>();
  readonly #events = new Emitter<InboxEvents>();
  readonly #now: () => number;
  #isClosed = false;

  constructor({ now = Date.now }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  /** Adds a question to the inbox and waits for the answer, at most until the call ends. */
  readonly ask: Approve = (request) => {
    if (this.#isClosed) return 'unavailable';
    const { signal } = request;
    if (signal.aborted) return false;
    return new Promise((resolve) => {
      const pending: PendingApproval = { id: request.approvalId ?? randomUUID(), request, since: this.#now() };
      const settle: Waiting['settle'] = (answer, how) => {
        signal.removeEventListener('abort', end);
        this.#waiting.delete(pending.id);
        resolve(answer);
        return this.#remember({ ...pending, ...how, at: this.#now() });
      };
      const end = (): unknown => settle(false, { outcome: 'ended', reason: undefined });
      signal.addEventListener('abort', end, { once: true });
      this.#waiting.set(pending.id, { ...pending, settle });
      this.#events.emit('asked', pending);
    });
  };

  /** Returns the waiting questions, oldest first. */
  pending(): PendingApproval[] {
    return [...this.#waiting.values()].map(({ id, request, since }) => ({ id, request, since }));
  }

  /** Returns the last closed questions, newest first. */
  settled(): SettledApproval[] {
    return [...this.#settled.values()].toReversed();
  }

  /**
   * Answers a question.
   *
   * Throws `not_found` for an unknown question and `invalid_arguments` for a closed one: a second answer changes nothing.
   */
  answer(id: string, decision: ApprovalDecision): SettledApproval {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw this.#explain(id);
    if (decision.allow) return waiting.settle(true, { outcome: 'allowed', reason: undefined });
    const reason = decision.reason?.trim() || undefined;
    return waiting.settle(reason === undefined ? false : { reason }, { outcome: 'denied', reason });
  }

  /** Listens for new and closed questions. Returns a function that stops listening. */
  on<E extends keyof InboxEvents>(event: E, listener: (payload: InboxEvents[E]) => unknown): () => void {
    return this.#events.on(event, listener);
  }

  /** Denies all waiting questions. After that, no one can be asked. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) {
      waiting.settle({ reason: CLOSED }, { outcome: 'denied', reason: CLOSED });
    }
  }

  #remember(settled: SettledApproval): SettledApproval {
    this.#settled.set(settled.id, settled);
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > MAX_SETTLED && oldest !== undefined) this.#settled.delete(oldest);
    this.#events.emit('settled', settled);
    return settled;
  }

  #explain(id: string): ToolError {
    const settled = this.#settled.get(id);
    if (settled === undefined) {
      const ids = [...this.#waiting.keys()];
      const hint = ids.length === 0 ? 'Nothing waits for an answer.' : `These wait: ${ids.join(', ')}.`;
      return new ToolError({ code: 'not_found', message: `There is no approval "${id}". ${hint}` });
    }
    const { outcome, request } = settled;
    const how =
      outcome === 'ended'
        ? 'is closed: the call ended, or it was answered elsewhere'
        : `was answered already: it was ${outcome}`;
    const message = `The approval "${id}" (a call of "${request.tool}") ${how}. The first answer counts.`;
    return new ToolError({ code: 'invalid_arguments', message, toolName: request.tool, field: 'id' });
  }
}
