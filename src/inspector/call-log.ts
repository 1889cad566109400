import { Emitter } from '../tool/emitter.ts';
import type { JsonSchema } from '../tool/json.ts';
import type { ToolExecutor } from '../pipeline/tool-executor.ts';
import type { ExecutorEvents } from '../pipeline/executor-options.ts';
import { hidePasswords } from '../guard/secrets/secret-names.ts';
import type { CallRecord } from './api-types.ts';
import { describeCaller } from '../tool/calls/call-owner.ts';
import { showJson } from './show-json.ts';
import { toOutcome } from './to-outcome.ts';

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
