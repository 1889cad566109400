import { createHash, randomUUID } from 'node:crypto';
import { ToolError } from '../../../../tool/tool-error.ts';
import type { ApprovalRecord } from '../../../../guard/approval/kept/approval-record.ts';
import type { Caller } from '../../caller.ts';
import type { McpServer } from '../../mcp-server.ts';
import { PLAIN_PATHS, type PlainAnswer } from './plain-answer.ts';

const MAX_KEY = 255;
/** Prefix of the keys of calls over plain HTTP, so that no other call of the same caller has one of them. */
const PREFIX = 'http/';

/** The keys that identify a repeated call over plain HTTP. */
export interface PlainKey {
  readonly shown: string;
  /** For the question to a person. */
  readonly approval: string;
  /** For the tool: unique for this caller and tool, because an API behind the tool may store answers by it. */
  readonly idempotency: string | undefined;
}

/** Reads the `Idempotency-Key` of a request, or creates one. Throws `invalid_arguments` for an invalid one. */
export function readKey(given: string | undefined, tool: string, { id, user = id }: Caller): PlainKey {
  if (given === undefined) {
    const made = randomUUID();
    return { shown: made, approval: PREFIX + made, idempotency: undefined };
  }
  if (given === '' || given.length > MAX_KEY || !/^[\x20-\x7e]+$/.test(given)) {
    const message = `Idempotency-Key has 1 to ${MAX_KEY} printable characters. A UUID is a good one.`;
    throw new ToolError({ code: 'invalid_arguments', message, field: 'Idempotency-Key' });
  }
  const idempotency = createHash('sha256')
    .update(JSON.stringify([user, tool, given]))
    .digest('base64url');
  return { shown: given, approval: PREFIX + given, idempotency };
}

/** Answers a call that waits for a person: where to check, and what to send after the approval. */
export function answerWaiting(approvalId: string, tool: string, { shown }: PlainKey): PlainAnswer {
  const location = PLAIN_PATHS.approvals + approvalId;
  return {
    status: 202,
    headers: { location, 'retry-after': '2', 'idempotency-key': shown },
    body: {
      status: 'waiting',
      approval: { id: approvalId, url: location },
      idempotencyKey: shown,
      message: `A person must approve this call of "${tool}". Look at ${location} until its status is "allowed", then send the same request again with the header Idempotency-Key: ${shown}`,
    },
  };
}

/** Returns the state of a question to the caller of its call. */
export async function readApproval(id: string, caller: Caller, server: McpServer): Promise<PlainAnswer> {
  const { tool, status, createdAt, expiresAt, key = '', answer } = await findApproval(id, caller, server);
  const reason = answer?.allow === false ? answer.reason : undefined;
  return {
    status: 200,
    headers: status === 'waiting' ? { 'retry-after': '2' } : {},
    body: {
      id,
      tool,
      status,
      idempotencyKey: key.slice(PREFIX.length),
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      ...(reason === undefined || reason === ''
        ? {}
        : { reason: server.board.registry.executor.redactor.text(reason) }),
    },
  };
}

/** Withdraws a question: its call will not be made. */
export async function withdrawApproval(id: string, caller: Caller, server: McpServer): Promise<PlainAnswer> {
  await findApproval(id, caller, server);
  await server.board.approvals?.withdraw(id);
  return { status: 204 };
}

/** Finds a question about a call of this caller. Those of others do not exist for it, so that ids cannot be guessed. */
async function findApproval(
  id: string,
  { id: own, user = own, access }: Caller,
  { board }: McpServer,
): Promise<ApprovalRecord> {
  const record = await board.approvals?.get(id);
  const tool = record === undefined ? undefined : board.registry.get(record.tool);
  const isOwn =
    record?.caller === user &&
    record.key?.startsWith(PREFIX) === true &&
    (tool === undefined ? access.key === '' : access.allows(tool));
  if (record === undefined || !isOwn)
    throw new ToolError({ code: 'not_found', message: `You have no approval "${id}".` });
  return record;
}
