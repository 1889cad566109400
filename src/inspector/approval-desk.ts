import { toPerson } from '../tool/calls/ask.ts';
import { isPlainObject } from '../tool/json.ts';
import { fillTemplate, writeArguments } from '../guard/approval/approval-message.ts';
import { type BoardChanges, isChangeId, type WaitingChange } from '../guard/approval/waiting-change.ts';
import type { ApprovalInbox, PendingApproval } from '../guard/approval/approval-inbox.ts';
import type {
  ApprovalRecord,
  ApprovalReply,
  BoardApprovals,
  PolicyLine,
} from '../guard/approval/kept/approval-record.ts';
import { describeCaller, withClient } from '../tool/calls/call-owner.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { AnsweredApproval, Approval, ApprovalList, Question } from './api-types.ts';
import { randomUUID } from 'node:crypto';
import type { Elicit, ElicitRequest, ElicitResult } from '../tool/calls/elicitation.ts';

/** The number of answered approvals on the page. */
const MOST_SETTLED = 100;

interface DeskOptions {
  /** The approvals of all processes of the board, if there is a board. */
  readonly approvals: BoardApprovals | undefined;
  /** The approvals that code sends only to this page. */
  readonly inbox: ApprovalInbox | undefined;
  /** Changes of the board's files that wait for a person. */
  readonly changes: BoardChanges | undefined;
  readonly redact: (value: unknown) => unknown;
}

/** The approvals that can be answered on the page: those of all processes of the board, and of this process's inbox. */
export class ApprovalDesk {
  readonly #options: DeskOptions;
  readonly #stop = new AbortController();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** True when approvals can be answered here. */
  get isOpen(): boolean {
    return this.#options.inbox !== undefined || this.#options.approvals !== undefined;
  }

  /** Lists waiting and recently answered approvals, with full arguments and without secrets. */
  async list(): Promise<ApprovalList> {
    const { inbox, approvals } = this.#options;
    const rows = (await approvals?.list({ status: 'all' }).catch(() => [])) ?? [];
    const settled = rows.filter(({ status }) => status !== 'waiting').map((row) => this.#toAnswered(row));
    // Approvals stored by the board are among its rows.
    const known = new Set(rows.map(({ id }) => id));
    const isOwn = ({ id }: PendingApproval): boolean => !known.has(id);
    const own = (inbox?.settled() ?? []).filter(isOwn).map((one): AnsweredApproval => {
      const { outcome, reason, at } = one;
      return { ...this.#toApproval(one), outcome, reason, at };
    });
    const changes = (await this.#options.changes?.list().catch(() => [])) ?? [];
    return {
      pending: [
        ...changes.filter(({ status }) => status === 'waiting').map(fromChange),
        ...rows.filter(({ status }) => status === 'waiting').map((row) => this.#fromRow(row)),
        ...(inbox?.pending() ?? []).filter(isOwn).map((one) => this.#toApproval(one)),
      ].toSorted((one, other) => one.since - other.since),
      settled: [...settled, ...own].toSorted((one, other) => other.at - one.at).slice(0, MOST_SETTLED),
    };
  }

  /** Answers an approval and returns the outcome. */
  async answer(id: string, reply: ApprovalReply): Promise<'allowed' | 'denied'> {
    const { inbox, approvals, changes } = this.#options;
    if (isChangeId(id) && changes !== undefined) {
      await changes.answer(id, { allow: reply.allow, by: 'inspector' });
      return reply.allow ? 'allowed' : 'denied';
    }
    const asked = [...(inbox?.pending() ?? []), ...(inbox?.settled() ?? [])].find((one) => one.id === id);
    const isUnkept = asked !== undefined && asked.request.approvalId === undefined;
    if (inbox !== undefined && (isUnkept || approvals === undefined)) {
      if (reply.allow && (reply.args !== undefined || (reply.scope ?? 'once') !== 'once')) throw refuseMore();
      inbox.answer(id, reply);
    } else await approvals?.answer(id, { ...reply, by: 'inspector' });
    return reply.allow ? 'allowed' : 'denied';
  }

  /** Returns the line that a permanent approval would add to the policy. */
  async line(id: string, scope: 'arguments' | 'tool'): Promise<PolicyLine> {
    const { approvals } = this.#options;
    if (approvals === undefined) throw refuseMore();
    return approvals.policyLine(id, scope);
  }

  /** Calls back when an approval is added or changes, in any process. */
  watch(changed: () => void): void {
    const { inbox, approvals, changes } = this.#options;
    const stop = [inbox?.on('asked', changed), inbox?.on('settled', changed), changes?.watch(changed)];
    this.#stop.signal.addEventListener('abort', () => stop.forEach((end) => end?.()), { once: true });
    if (approvals !== undefined) void this.#follow(approvals, changed);
  }

  close(): void {
    this.#options.inbox?.close();
    this.#stop.abort();
  }

  async #follow(approvals: BoardApprovals, changed: () => void): Promise<void> {
    try {
      for await (const _ of approvals.follow(this.#stop.signal)) changed();
    } catch {
      // The store is unavailable or closed; reloading the page reads everything again.
    }
  }

  #fromRow(row: ApprovalRecord): Approval {
    const { id, tool, description, risk, input, declared, template, callId, by, caller, createdAt, expiresAt } = row;
    const shown = { id, tool, description, risk, callId, since: createdAt, expiresAt };
    const who = caller === '' ? by : `${by} (${caller})`;
    return { ...shown, ...this.#write(input, declared, template), caller: who, isKept: true };
  }

  #toAnswered(row: ApprovalRecord): AnsweredApproval {
    const { answer, endedAt, createdAt, status } = row;
    const outcome =
      answer === undefined ? (status === 'expired' ? 'expired' : 'ended') : answer.allow ? 'allowed' : 'denied';
    return {
      ...this.#fromRow(row),
      outcome,
      reason: answer?.reason,
      by: answer?.by,
      at: answer?.at ?? endedAt ?? createdAt,
    };
  }

  #toApproval({ id, request, since }: PendingApproval): Approval {
    const { tool, description, risk, declared, template, callId, context, input } = request;
    const shown = { id, tool, description, risk, callId, since, caller: describeCaller(context) };
    return { ...shown, ...this.#write(input, declared, template), isKept: false };
  }

  #write(
    given: unknown,
    declared: readonly string[],
    template: string | undefined,
  ): Pick<Approval, 'args' | 'question' | 'input'> {
    const { redact } = this.#options;
    // Redacted before formatting: quoting may change the spelling of a secret.
    const redacted = redact(given);
    const input = isPlainObject(redacted) ? redacted : {};
    const lines = writeArguments(input, declared).map(({ label, text }) => `${label}: ${text}`);
    return {
      args: lines.join('\n'),
      question: template === undefined ? undefined : String(redact(fillTemplate(template, input).words)),
      input: JSON.stringify(input, undefined, 2),
    };
  }
}

/** Shows a change of the board's files among the approvals. */
function fromChange({ id, changes, since }: WaitingChange): Approval {
  return {
    id,
    tool: 'Changed files',
    description: 'The board uses the files from before until a person accepts the change.',
    risk: 'destructive',
    args: changes.join('\n'),
    question: undefined,
    callId: '',
    caller: 'edited',
    since,
    input: '{}',
    isKept: false,
    isChange: true,
  };
}

function refuseMore(): ToolError {
  const message = 'This approval is not stored by a board. Allow it once, or deny it.';
  return new ToolError({ code: 'invalid_arguments', message, field: 'scope' });
}

interface Waiting {
  readonly question: Question;
  readonly settle: (answer: ElicitResult) => void;
}

/** Stores questions of servers until the person at the page answers or the call ends. */
export class QuestionInbox {
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed: () => void;
  #isClosed = false;

  /** `changed` is called when a question is added or removed. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Shows a server's question on the page and waits for the answer; the end of the call removes it. */
  readonly ask: Elicit = (request, { tool, source, signal }) => {
    if (this.#isClosed || signal.aborted) return { action: 'cancel' };
    return new Promise((resolve) => {
      const question = toQuestion(request, tool, source);
      const settle = (answer: ElicitResult): void => {
        signal.removeEventListener('abort', cancel);
        this.#waiting.delete(question.id);
        this.#changed();
        resolve(answer);
      };
      const cancel = (): void => settle({ action: 'cancel' });
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(question.id, { question, settle });
      this.#changed();
    });
  };

  /** Lists the waiting questions, oldest first. */
  list(): Question[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Answers a question; `false` if it has ended. */
  answer(id: string, answer: ElicitResult): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.settle(answer);
    return waiting !== undefined;
  }

  /** Cancels all questions and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const { settle } of this.#waiting.values()) settle({ action: 'cancel' });
  }
}

function toQuestion(request: ElicitRequest, tool: string, source: string): Question {
  const common = { id: randomUUID(), tool, source, message: request.message };
  if (request.mode === 'form') return { ...common, mode: 'form', schema: request.requestedSchema };
  // The host as the browser will read it: a name before an @ is not the host.
  return { ...common, mode: 'url', url: request.url, host: URL.parse(request.url)?.host ?? '' };
}

const INSPECTOR = 'inspector';

/** Makes the metadata of calls that the page makes, for the user of the board. Questions of servers go to the page. */
export function inspectorContext(elicit: Elicit): Readonly<Record<string, unknown>> {
  return withClient({ caller: INSPECTOR }, { user: '', session: INSPECTOR, via: INSPECTOR, person: toPerson(elicit) });
}
