import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoardParts, CallQuery, KnownCall } from '../../../discovery/board-like.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { Caller } from '../caller.ts';
import { respondError, respondJson } from './respond.ts';

const CALLS = '/calls';
const DEFAULT_LIMIT = 50;
const MOST_CALLS = 200;
/** Lines that are searched for a text, for a remote caller. */
const MOST_SCANNED = 100_000;
const PARAMETERS = ['tool', 'outcome', 'since', 'text', 'parent', 'caller', 'limit'] as const;

export function isCallsPath(pathname: string): boolean {
  return pathname === CALLS || pathname.startsWith(`${CALLS}/`);
}

interface Refused {
  readonly status: number;
  readonly message: string;
}

/** Answers `GET /calls` and `GET /calls/ID`: the caller's own calls, or all for a caller who may see them. Never rejects. */
export async function respondCalls(
  request: IncomingMessage,
  response: ServerResponse,
  { board, caller }: { readonly board: BoardParts; readonly caller: Caller },
): Promise<void> {
  try {
    const answer = await readCalls(request, board, caller);
    if ('status' in answer) return respondError(response, answer.status, answer);
    respondJson(response, JSON.stringify(answer.body), { headers: { 'cache-control': 'no-store' } });
  } catch (error) {
    const message = `The record cannot be read now: ${messageOf(error)}`;
    respondError(response, 503, { message: board.registry.executor.redactor.text(message) });
  }
}

async function readCalls(
  { method, url = '' }: IncomingMessage,
  { calls, registry }: BoardParts,
  caller: Caller,
): Promise<{ readonly body: unknown } | Refused> {
  if (method !== 'GET') return { status: 405, message: 'The record is read with GET.' };
  if (calls === undefined) return { status: 404, message: 'This server keeps no record of calls.' };
  // Any process of the machine would see the user's calls.
  if (caller.isAnonymous === true || (caller.user ?? caller.id) === '') {
    const message = 'Calls are shown to those who show a token. Serve the board with one to read its record.';
    return { status: 403, message };
  }
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const view = { user: caller.user ?? caller.id, seesAll: caller.access.seesAllCalls === true };
  const isShown = (call: KnownCall): boolean => {
    if (view.seesAll) return true;
    const tool = registry.get(call.tool);
    return call.caller === view.user && (tool === undefined || caller.access.allows(tool));
  };
  if (pathname !== CALLS) {
    const id = decode(pathname.slice(CALLS.length + 1));
    const call = await calls.get(id);
    // Calls of others do not exist for the caller, so that ids cannot be guessed.
    if (call === undefined || !isShown(call)) return { status: 404, message: `You have no call "${id}".` };
    return { body: toShown(call, view.seesAll) };
  }
  const query = readQuery(searchParams, view);
  if ('status' in query) return query;
  const found = await calls.list(query);
  return { body: { calls: found.filter(isShown).map((call) => toShown(call, view.seesAll)) } };
}

/** Reads the filter of a request, or returns its fault. */
function readQuery(
  parameters: URLSearchParams,
  { user, seesAll }: { readonly user: string; readonly seesAll: boolean },
): CallQuery | Refused {
  const known: readonly string[] = PARAMETERS;
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    return { status: 400, message: `Unknown parameter "${unknown}". Use: ${PARAMETERS.join(', ')}.` };
  const given = (name: (typeof PARAMETERS)[number]): string | undefined => parameters.get(name) ?? undefined;
  const caller = given('caller');
  if (caller !== undefined && caller !== user && !seesAll) {
    const message = 'Your token shows your own calls. One with calls: all under serve.tokens shows those of others.';
    return { status: 403, message };
  }
  const since = given('since');
  const from = since === undefined ? undefined : /^\d+$/.test(since) ? Number(since) : Date.parse(since);
  if (Number.isNaN(from))
    return { status: 400, message: 'since is a date such as 2026-01-31T12:00:00Z, or milliseconds since 1970.' };
  const limit = Number(given('limit') ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_CALLS)
    return { status: 400, message: `limit is a whole number from 1 to ${MOST_CALLS}.` };
  return {
    tool: given('tool'),
    outcome: given('outcome'),
    text: given('text'),
    parent: given('parent'),
    caller: caller ?? (seesAll ? undefined : user),
    since: from,
    limit,
    scan: MOST_SCANNED,
  };
}

/** Hides the servers and approvers of a call from restricted readers. */
function toShown(call: KnownCall, seesAll: boolean): KnownCall {
  if (seesAll) return call;
  const { requests: _, approvals: __, ...shown } = call;
  return shown;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
