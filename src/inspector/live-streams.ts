import type { ServerResponse } from 'node:http';
import { openEventStream, writeEvent } from '../mcp/server/http/respond.ts';
import type { ApprovalList, CallRecord, InspectorEvent, Question } from './api-types.ts';
import { revealAnswer } from './json-exchange.ts';

/** Milliseconds for which changes are collected: a board may make thousands of calls per second. */
const PAUSE = 50;
/** The number of bytes that may wait for a page that does not read. */
const MAX_WAITING = 8 * 1024 * 1024;
/** The number of open pages. */
const MAX_STREAMS = 100;

type LivePart = 'approvals' | 'questions' | 'board';

/** Functions that read the current state. */
interface LiveParts {
  readonly readApprovals: () => Promise<ApprovalList>;
  readonly readQuestions: () => readonly Question[];
  readonly redact: (value: unknown) => unknown;
}

/** Streams changes to open pages, a few times a second at most. */
export class LiveStreams {
  readonly #streams = new Set<ServerResponse>();
  readonly #parts: LiveParts;
  /** Changed calls by id. */
  readonly #calls = new Map<number, CallRecord>();
  /** Other changed parts. */
  readonly #changed = new Set<LivePart>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** True when no further stream may be added. */
  get isFull(): boolean {
    return this.#streams.size >= MAX_STREAMS;
  }

  /** Keeps a response open for future events. */
  add(response: ServerResponse): void {
    openEventStream(response);
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
  }

  callChanged(call: CallRecord): void {
    if (this.#streams.size === 0) return;
    this.#calls.set(call.id, call);
    this.#schedule();
  }

  changed(part: LivePart): void {
    this.#changed.add(part);
    this.#schedule();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const stream of this.#streams) stream.end();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flush(), PAUSE).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#calls.size > 0) this.#send({ type: 'calls', calls: [...this.#calls.values()] });
    if (this.#changed.has('approvals')) void this.#sendApprovals();
    if (this.#changed.has('questions')) this.#send({ type: 'questions', questions: this.#parts.readQuestions() });
    if (this.#changed.has('board')) this.#send({ type: 'board' });
    this.#calls.clear();
    this.#changed.clear();
  }

  /** Sends lists one after the other: an older list that arrives later would restore answered approvals. */
  #sendApprovals(): Promise<void> {
    return (this.#sending = this.#sending
      .then(async () => this.#send({ type: 'approvals', approvals: await this.#parts.readApprovals() }))
      // A list that cannot be read must not stop the next ones; the page gets the error when it asks.
      .catch(() => {}));
  }

  #send(event: InspectorEvent): void {
    const text = JSON.stringify(revealAnswer(this.#parts.redact(event)));
    for (const stream of this.#streams) {
      if (stream.writableEnded) continue;
      // A sleeping page reconnects when it wakes up, and reads everything again.
      if (stream.writableLength > MAX_WAITING) stream.destroy();
      else writeEvent(stream, text);
    }
  }
}
