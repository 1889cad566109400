import { createHash } from 'node:crypto';
import { isPlainObject } from '../../tool/json.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolRisk } from '../../tool/tool-metadata.ts';
import { AskedByRetry } from '../../guard/approval/asked-by-retry.ts';
import { isAnonymousCall, isAskedByRetry, type McpPeer, peerOf } from './peer.ts';

/** What a person is asked to agree to. */
interface ApprovalQuestion {
  readonly message: string;
  readonly risk: ToolRisk;
  /** The arguments of the call. */
  readonly args?: unknown;
  readonly context: ToolContext;
  /** Aborts when the answer no longer matters. */
  readonly signal?: AbortSignal;
}

/**
 * Asks the person behind an MCP client whether a call may run; `'unavailable'` where the client cannot ask.
 *
 * A client over HTTP without a token could be any process of this machine: it is not asked about destructive calls.
 */
export async function approveByClient(question: ApprovalQuestion): Promise<boolean | 'unavailable'> {
  const { message, args, context, risk, signal } = question;
  const peer = peerOf(context);
  if (risk === 'destructive' && isAnonymousCall(context)) return 'unavailable';
  if (peer?.can('elicitation/create') !== true) return 'unavailable';
  const requestedSchema = {
    type: 'object',
    properties: { approve: { type: 'boolean', title: 'Run it', description: 'Whether the call may run, this once' } },
    required: ['approve'],
  };
  const request = { method: 'elicitation/create', params: { message, requestedSchema } } as const;
  const key = nameQuestion(peer, JSON.stringify([message, args]));
  const { [key]: approval } = await peer.ask({ [key]: request }, { once: true, signal }).catch((error: unknown) => {
    throw isAskedByRetry(context) ? new AskedByRetry(error) : error;
  });
  const content = approval?.['content'];
  return approval?.['action'] === 'accept' && isPlainObject(content) && content['approve'] === true;
}

const asked = new WeakMap<McpPeer, Map<string, number>>();

/** A key for each question of a request: a yes to one call says nothing about the next that the same request makes. */
function nameQuestion(peer: McpPeer, question: string): string {
  const counts = asked.get(peer) ?? new Map<string, number>();
  asked.set(peer, counts);
  const hash = createHash('sha256').update(question).digest('hex').slice(0, 16);
  const count = (counts.get(hash) ?? 0) + 1;
  counts.set(hash, count);
  return `approval-${hash}${count === 1 ? '' : `-${count}`}`;
}
