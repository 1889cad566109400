import { createHash } from 'node:crypto';
import type { ApprovalAnswer } from '../../tool/calls/approval.ts';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { AskedByRetry } from '../../guard/approval/refusals.ts';
import { isAnonymousCall } from './caller.ts';
import { type InputRequest, isAskedByRetry, type McpPeer, peerOf } from './peer.ts';

/** A call that a person is asked to approve. */
interface ApprovalQuestion {
  readonly tool?: string;
  readonly message: string;
  readonly risk: ToolRisk;
  readonly args?: unknown;
  readonly context: ToolContext;
  /** Aborts when the answer no longer matters. */
  readonly signal?: AbortSignal | undefined;
  /** The id of the stored question. */
  readonly approvalId?: string | undefined;
}

/**
 * Asks the person at an MCP client whether a call may run; `'unavailable'` if the client cannot ask.
 *
 * A client over HTTP without a token could be any process of this machine: it is not asked about destructive calls.
 */
export async function approveByClient(question: ApprovalQuestion): Promise<boolean | 'unavailable'> {
  const { message, context, signal } = question;
  const peer = canBeAsked(question) ? peerOf(context) : undefined;
  if (peer === undefined) return 'unavailable';
  const requestedSchema = {
    type: 'object',
    properties: { approve: { type: 'boolean', title: 'Run it', description: 'Whether the call may run, this once' } },
    required: ['approve'],
  };
  const request = { method: 'elicitation/create', params: { message, requestedSchema } } as const;
  const key = nameQuestion(peer, [question]);
  const { [key]: approval } = await ask(peer, { [key]: request }, { context, signal });
  const content = approval?.['content'];
  return approval?.['action'] === 'accept' && isPlainObject(content) && content['approve'] === true;
}

/** Calls in one form; no client shows more, or longer ones, readably. */
const MAX_CALLS = 20;
const MAX_MESSAGE = 20_000;

/**
 * Asks the person at an MCP client about several calls of one program. A form lists all with their arguments, with a checkbox for each
 * and a field for the reason of a refusal. Further forms, sent at the same time, have the rest.
 */
export async function approveAllByClient(
  questions: readonly ApprovalQuestion[],
  signal?: AbortSignal,
): Promise<readonly ApprovalAnswer[]> {
  const asked = questions.filter(canBeAsked);
  const [first] = asked;
  const peer = first === undefined ? undefined : peerOf(first.context);
  if (first === undefined || peer === undefined) return questions.map(() => 'unavailable');
  if (asked.length === 1) {
    const answer = await approveByClient({ ...first, signal });
    return questions.map((question) => (question === first ? answer : 'unavailable'));
  }
  const forms = toForms(asked).map((calls) => ({ calls, key: nameQuestion(peer, calls) }));
  const requests = Object.fromEntries(forms.map(({ calls, key }) => [key, writeForm(calls)]));
  const answers = await ask(peer, requests, { context: first.context, signal });
  const given = new Map<ApprovalQuestion, ApprovalAnswer>();
  for (const { calls, key } of forms) {
    const { action, content } = answers[key] ?? {};
    const filled = action === 'accept' && isPlainObject(content) ? content : {};
    const { reason } = filled;
    for (const [place, call] of calls.entries()) {
      const isAllowed = filled[boxOf(place)] === true;
      given.set(call, isAllowed || typeof reason !== 'string' || reason === '' ? isAllowed : { reason });
    }
  }
  return questions.map((question) => given.get(question) ?? 'unavailable');
}

function canBeAsked({ context, risk }: ApprovalQuestion): boolean {
  if (risk === 'destructive' && isAnonymousCall(context)) return false;
  return peerOf(context)?.can('elicitation/create') === true;
}

function toForms(questions: readonly ApprovalQuestion[]): ApprovalQuestion[][] {
  const forms: ApprovalQuestion[][] = [];
  let length = 0;
  for (const question of questions) {
    const last = forms.at(-1);
    length += question.message.length;
    if (last !== undefined && last.length < MAX_CALLS && length <= MAX_MESSAGE) last.push(question);
    else {
      forms.push([question]);
      ({ length } = question.message);
    }
  }
  return forms;
}

function writeForm(calls: readonly ApprovalQuestion[]): InputRequest {
  const boxes = calls.map(({ tool = 'the call' }, place) => [
    boxOf(place),
    { type: 'boolean', title: `${place + 1}. ${tool}`, description: `Whether call ${place + 1} may run, this once` },
  ]);
  const reason = { type: 'string', title: 'Why not', description: 'What the model is facts of calls that may not run' };
  const listed = calls.map(({ message }, place) => `${place + 1}. ${message}`).join('\n\n');
  return {
    method: 'elicitation/create',
    params: {
      message: `A program waits for your answer about ${calls.length} calls.\n\n${listed}`,
      requestedSchema: {
        type: 'object',
        properties: { ...Object.fromEntries(boxes), reason },
        required: calls.map((_, place) => boxOf(place)),
      },
    },
  };
}

function boxOf(place: number): string {
  return `call_${place + 1}`;
}

async function ask(
  peer: McpPeer,
  requests: Readonly<Record<string, InputRequest>>,
  { context, signal }: { readonly context: ToolContext; readonly signal: AbortSignal | undefined },
): ReturnType<McpPeer['ask']> {
  return peer.ask(requests, { once: true, signal }).catch((error: unknown) => {
    throw isAskedByRetry(context) && !(error instanceof AskedByRetry) ? new AskedByRetry(error) : error;
  });
}

const asked = new WeakMap<McpPeer, Map<string, number>>();

/** Returns a key for each question of a request: approval of one call does not extend to the next call of the same request. */
function nameQuestion(peer: McpPeer, questions: readonly ApprovalQuestion[]): string {
  const counts = asked.get(peer) ?? new Map<string, number>();
  asked.set(peer, counts);
  // A stored question keeps its id when the request is repeated. Programs resume then and do not ask earlier questions again, so counting
  // cannot distinguish their questions.
  const facts = questions.map(({ message, args, approvalId }) => [message, args, approvalId]);
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  const count = (counts.get(hash) ?? 0) + 1;
  counts.set(hash, count);
  return `approval-${hash}${count === 1 ? '' : `-${count}`}`;
}
