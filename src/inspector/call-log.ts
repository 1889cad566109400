import { Emitter } from '../tool/emitter.ts';
import type { JsonSchema } from '../tool/json.ts';
import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import type { ExecutorEvents } from '../pipeline/executor-options.ts';
import { hidePasswords } from '../guard/secrets/secret-names.ts';
import type { AnswerPart, CallAnswer, CallOutcome, CallRecord } from './api-types.ts';
import { describeCaller } from '../tool/calls/call-owner.ts';
import type { ToolContent, ToolResult } from '../tool/tool-result.ts';
import { revealHiddenJson } from '../tool/texts/reveal-hidden.ts';
import type { BoardCalls, RecordedCall } from '../features/record/board-calls.ts';
import { recordingProcess } from '../features/record/call-trail.ts';
import type { BoardLike } from '../discovery/board-like.ts';

const MAX_CALLS = 200;

/** The latest calls of an executor from all callers, as they start and finish. */
export class CallLog {
  readonly #executor: ToolExecutor;
  /** By id, oldest first. */
  readonly #calls = new Map<number, CallRecord>();
  /** The ids of calls of other processes, by the id of their record. */
  readonly #recorded = new Map<string, number>();
  readonly #events = new Emitter<{ changed: CallRecord }>();
  readonly #schemaOf: (tool: string) => JsonSchema | undefined;
  readonly #stop: readonly (() => void)[];
  #count = 0;

  /** `schemaOf` returns the input schema of a tool, which marks passwords. */
  constructor(executor: ToolExecutor, schemaOf: (tool: string) => JsonSchema | undefined) {
    this.#executor = executor;
    this.#schemaOf = schemaOf;
    this.#stop = [
      executor.on('call:started', (call) => this.#start(call)),
      executor.on('call:finished', (call) => this.#finish(call)),
    ];
  }

  /** Lists calls, newest first, optionally of one caller. */
  list(caller?: string): CallRecord[] {
    const calls = [...this.#calls.values()].toSorted(
      (one, other) => other.startedAt - one.startedAt || other.id - one.id,
    );
    return caller === undefined ? calls : calls.filter((call) => call.caller === caller);
  }

  /** Adds a call of another process by the id of its record; its end replaces its start. */
  addRecorded(recordId: string, call: Omit<CallRecord, 'id'>): void {
    const known = this.#recorded.get(recordId);
    if (known !== undefined && this.#calls.get(known)?.outcome !== undefined) return;
    const id = known ?? ++this.#count;
    this.#recorded.set(recordId, id);
    this.#put({ id, ...call });
    this.#dropOldest();
  }

  /** Listens for calls that start and finish. Returns a function that stops listening. */
  onChange(listener: (call: CallRecord) => void): () => void {
    return this.#events.on('changed', listener);
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  #start({ callId, tool, args, context }: ExecutorEvents['call:started']): void {
    this.#put({
      id: ++this.#count,
      callId,
      ...(context.callId === '' || context.callId === callId ? {} : { parent: context.callId }),
      tool,
      caller: describeCaller(context),
      args: showJson(args, (value) => this.#executor.redact(hidePasswords(value, this.#schemaOf(tool)))),
      startedAt: Date.now(),
    });
    this.#dropOldest();
  }

  #finish({ callId, tool, result }: ExecutorEvents['call:finished']): void {
    const started = [...this.#calls.values()].findLast(
      (call) => call.callId === callId && call.tool === tool && call.outcome === undefined,
    );
    if (started === undefined) return;
    // A call refused before it reached a tool was not redacted.
    const outcome = this.#executor.redact(toOutcome(result)) as CallRecord['outcome'];
    this.#put({ ...started, durationMs: result.meta.durationMs ?? 0, ...(outcome === undefined ? {} : { outcome }) });
  }

  #dropOldest(): void {
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    const [forgotten] = this.#recorded.keys();
    if (this.#recorded.size > 2 * MAX_CALLS && forgotten !== undefined) this.#recorded.delete(forgotten);
  }

  #put(call: CallRecord): void {
    this.#calls.set(call.id, call);
    this.#events.emit('changed', call);
  }
}

/** Image types that run no code, unlike SVG. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;
const AUDIO = /^audio\/[\w.+-]+$/;

/** Summarizes the end of a call, for lists. */
function toOutcome({ ok, text, error, meta }: ToolResult): CallOutcome {
  return {
    ok,
    text: foldText(text),
    length: text.length,
    notices: meta.notices ?? [],
    ...(error === undefined
      ? {}
      : {
          error: {
            code: error.code,
            message: error.message,
            issues: error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
          },
        }),
  };
}

/** Returns the full result of a call, for the page that made it. */
export function toAnswer(result: ToolResult): CallAnswer {
  const { meta, data, content = [] } = result;
  return {
    ...toOutcome(result),
    text: result.text,
    callId: meta.callId ?? '',
    durationMs: meta.durationMs ?? 0,
    ...(data === undefined ? {} : { data }),
    parts: content.flatMap(toPart),
  };
}

/** Converts content; plain texts are already in the answer's text. */
function toPart(block: ToolContent): AnswerPart[] {
  switch (block.type) {
    case 'text':
      return [];
    case 'image':
      return [{ type: IMAGE.test(block.mimeType) ? 'image' : 'file', mimeType: block.mimeType, data: block.data }];
    case 'audio':
      return [{ type: AUDIO.test(block.mimeType) ? 'audio' : 'file', mimeType: block.mimeType, data: block.data }];
    case 'resource_link': {
      const { uri, name, description = '', mimeType = '' } = block;
      return [{ type: 'link', uri, name, description, mimeType }];
    }
    case 'resource': {
      const { uri, mimeType = '', text, blob } = block.resource;
      if (text !== undefined) return [{ type: 'text', text, uri, mimeType }];
      return [{ type: 'file', mimeType, data: blob ?? '', uri }];
    }
  }
}

const MAX_TEXT = 20_000;

/** Formats a value as JSON for people: without secrets, hidden characters escaped, long texts shortened. */
function showJson(value: unknown, redact: (value: unknown) => unknown): string {
  if (value === undefined) return '';
  try {
    return foldText(revealHiddenJson(JSON.stringify(redact(value), undefined, 2)));
  } catch {
    // Code may return values that JSON cannot represent.
    return '(not JSON)';
  }
}

/** Shortens a long text to its two ends. */
function foldText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const half = MAX_TEXT / 2;
  const left = (text.length - MAX_TEXT).toLocaleString('en');
  return `${text.slice(0, half)}\n… ${left} characters omitted …\n${text.slice(-half)}`;
}

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
