import type { BoardCalls, RecordedCall } from '../features/record/board-calls.ts';
import { recordingProcess } from '../features/record/call-trail.ts';
import type { BoardLike } from '../discovery/board-like.ts';
import type { CallRecord } from './api-types.ts';
import type { CallLog } from './call-log.ts';
import { foldText } from './show-json.ts';

/** The number of earlier calls to read at the start. */
const PAST = 100;

/** Returns the record of a board; `undefined` for a registry, which has none. */
export function recordOf(board: BoardLike): BoardCalls | undefined {
  const { calls } = Object(board) as { readonly calls?: Partial<BoardCalls> };
  // A board has all of its methods.
  return typeof calls?.follow === 'function' ? (calls as BoardCalls) : undefined;
}

/** Adds the calls of all other processes of the board, past and future, until the signal aborts. */
export async function followRecord(record: BoardCalls, log: CallLog, signal: AbortSignal): Promise<void> {
  const own = `${recordingProcess()}-`;
  const take = (call: RecordedCall): void => {
    // This process's own calls are already known in more detail.
    if (!call.id.startsWith(own)) log.addRecorded(call.id, toRecord(call));
  };
  try {
    const following = record.follow({}, signal);
    for (const call of (await record.list({ limit: PAST })).toReversed()) take(call);
    for await (const call of following) take(call);
  } catch {
    // The store is unavailable: the page shows only the calls of this process.
  }
}

function toRecord(call: RecordedCall): Omit<CallRecord, 'id'> {
  const {
    id,
    parent,
    tool,
    by,
    caller,
    client,
    args = '',
    startedAt,
    durationMs,
    outcome,
    result,
    outputChars = 0,
  } = call;
  const who = [by, client?.name, caller === '' ? undefined : `(${caller})`].filter((part) => part !== undefined);
  const isOver = outcome !== 'running';
  const ok = outcome === 'ok';
  const error = { code: outcome, message: 'Called in another process.', issues: [] };
  const text = result === undefined ? `(not recorded: ${outputChars} characters)` : foldText(result);
  const ended = { ok, text, length: outputChars, notices: [], ...(ok ? {} : { error }) };
  return {
    callId: id,
    ...(parent === undefined ? {} : { parent }),
    tool,
    caller: who.join(' '),
    args,
    startedAt,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(isOver ? { outcome: ended } : {}),
  };
}
