import type { BoardCalls, RecordedCall } from '../features/record/board-calls.ts';
import { recordingProcess } from '../features/record/call-trail.ts';
import type { BoardLike } from '../discovery/board-like.ts';
import type { CallRecord } from './api-types.ts';
import type { CallLog } from './call-log.ts';
import { foldText } from './show-json.ts';

/** Calls of other processes that are read when the inspector starts. */
const PAST = 100;

/** The record of a board; `undefined` for a registry, which has none. */
export function recordOf(board: BoardLike): BoardCalls | undefined {
  const { calls } = Object(board) as { readonly calls?: Partial<BoardCalls> };
  // A board has all of it.
  return typeof calls?.follow === 'function' ? (calls as BoardCalls) : undefined;
}

/** Shows the calls of every other process of the board too, those before now and those to come, until the signal aborts. */
export async function followRecord(record: BoardCalls, log: CallLog, signal: AbortSignal): Promise<void> {
  const own = `${recordingProcess()}-`;
  const take = (call: RecordedCall): void => {
    // What this process calls is known in more detail already.
    if (!call.id.startsWith(own)) log.addRecorded(call.id, toRecord(call));
  };
  try {
    const following = record.follow({}, signal);
    for (const call of (await record.list({ limit: PAST })).toReversed()) take(call);
    for await (const call of following) take(call);
  } catch {
    // The store is away: the page shows the calls of its own process.
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
