import type { ToolContext } from '../../../../tool/tool-context.ts';
import { approveAllByClient, approveByClient } from '../../../../mcp/server/approve-by-client.ts';
import { isAskedByRetry } from '../../../../mcp/server/peer.ts';
import { answeredBy, firstAnswer } from '../../../../guard/approval/ask-together.ts';
import type { ApprovalInbox } from '../../../../guard/approval/approval-inbox.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../../tool/calls/approval.ts';
import type { ServeSection } from './serve-settings.ts';

/** A way to answer approvals. */
export type Approver = NonNullable<ServeSection['approvals']>[number];

const byClient = answeredBy(
  'MCP client',
  Object.assign((request: ApprovalRequest) => approveByClient(request), { together: approveAllByClient }),
);

interface ApproverOptions {
  /** Returns the allowed ways to answer; called for each question. */
  readonly wanted: () => readonly Approver[];
  /** The approvals of the inspector, if it is open. */
  readonly inbox: ApprovalInbox | undefined;
  /** Asks the person at the terminal, if there is one. */
  readonly terminal: Approve | undefined;
}

/** Milliseconds that the inspector and the terminal have to answer a question of a client without a session. */
const LIFETIME = 10 * 60_000;
const MAX_OPEN = 1_000;

/** Returns the default ways to answer: the inspector if it is open, otherwise the client. */
export function defaultApprovers(hasInspector: boolean): readonly Approver[] {
  return hasInspector ? ['inspector'] : ['client'];
}

/** Asks everyone who may answer at the same time; the first answer counts. */
export function createApprover({ wanted, inbox, terminal }: ApproverOptions): Approve {
  const askAgain = createRetriedApproval();
  const othersThan = (named: ReadonlySet<Approver>): Approve[] =>
    [
      named.has('inspector') && inbox !== undefined ? answeredBy('inspector', inbox.ask) : undefined,
      named.has('terminal') ? terminal : undefined,
    ].filter((one) => one !== undefined);
  const approve: Approve = (request) => {
    const named = new Set(wanted());
    const others = othersThan(named);
    if (!named.has('client')) return others.length === 0 ? 'unavailable' : firstAnswer(others)(request);
    if (others.length === 0) return byClient(request);
    if (isAskedByRetry(request.context)) return askAgain(request, firstAnswer(others));
    return firstAnswer([byClient, ...others])(request);
  };
  // If several may answer, each call is a separate question: the first answer counts.
  const together: Approve['together'] = async (requests, signal) => {
    const named = new Set(wanted());
    const asked = [...(named.has('client') ? [byClient] : []), ...othersThan(named)];
    const all = asked.length === 1 ? asked[0]?.together : undefined;
    return all === undefined ? Promise.all(requests.map(async (request) => approve(request))) : all(requests, signal);
  };
  return Object.assign(approve, { together });
}

interface OpenQuestion {
  /** The first answer of the inspector or the terminal. */
  answer: ApprovalAnswer | undefined;
  readonly over: AbortController;
  readonly timer: NodeJS.Timeout;
}

/**
 * Creates approvals for clients without sessions: such a request ends when its client is asked, and is repeated with the answer.
 *
 * Questions to the inspector and the terminal outlive the request, so that their answer counts if it is first.
 */
function createRetriedApproval(): (request: ApprovalRequest, others: Approve) => Promise<ApprovalAnswer> {
  const open = new Map<string, OpenQuestion>();
  const close = (key: string): void => {
    const question = open.get(key);
    open.delete(key);
    clearTimeout(question?.timer);
    question?.over.abort();
  };
  const ask = (key: string, request: ApprovalRequest, others: Approve): void => {
    const [oldest] = open.keys();
    if (open.size >= MAX_OPEN && oldest !== undefined) close(oldest);
    const over = new AbortController();
    const timer = setTimeout(() => close(key), LIFETIME).unref();
    const question: OpenQuestion = { answer: undefined, over, timer };
    open.set(key, question);
    void Promise.resolve(others({ ...request, signal: over.signal })).then(
      (answer) => {
        if (answer !== 'unavailable' && !over.signal.aborted) question.answer = answer;
      },
      // The client may still answer.
      () => undefined,
    );
  };
  return async (request, others) => {
    const key = keyOf(request);
    const known = open.get(key)?.answer;
    if (known !== undefined) {
      close(key);
      return known;
    }
    let answer: ApprovalAnswer;
    try {
      answer = await byClient(request);
    } catch (error) {
      // The client is asked and this request ends; ask the others meanwhile.
      if (!open.has(key)) ask(key, request, others);
      throw error;
    }
    if (answer === 'unavailable') return others(request);
    close(key);
    return answer;
  };
}

/** Returns the same key when the same client repeats the same call. */
function keyOf({ tool, input, context }: ApprovalRequest): string {
  return JSON.stringify([sessionOf(context), tool, input]);
}

function sessionOf(context: ToolContext): unknown {
  return context.getMeta('sessionId');
}
