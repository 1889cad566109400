import type { ServerResponse } from 'node:http';
import { openEventStream, writeEvent } from '../mcp/server/http/streams/event-stream.ts';
import type { ApprovalList, CallRecord, InspectorEvent, Question } from './api-types.ts';
import { revealAnswer } from './reveal-answer.ts';

/** Milliseconds in which changes are gathered: a board may make thousands of calls in a second. */
const PAUSE = 50;
/** Bytes that may wait for a page that does not read. */
const MAX_WAITING = 8 * 1024 * 1024;
/** Pages that are open at once. */
const MAX_STREAMS = 100;

type LivePart = 'approvals' | 'questions' | 'board';

/** Reads what the streams tell. */
interface LiveParts {
  readonly readApprovals: () => Promise<ApprovalList>;
  readonly readQuestions: () => readonly Question[];
  readonly redact: (value: unknown) => unknown;
}

/** Tells open pages what happens, a few times a second at most. */
export class LiveStreams {
  readonly #streams = new Set<ServerResponse>();
  readonly #parts: LiveParts;
  /** Calls that changed, by their ids, as they are now. */
  readonly #calls = new Map<number, CallRecord>();
  /** What else changed. */
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

  /** Keeps a response open for what happens from now on. */
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

  /** One after the other: an earlier list that is read later would bring back what is over. */
  #sendApprovals(): Promise<void> {
    return (this.#sending = this.#sending
      .then(async () => this.#send({ type: 'approvals', approvals: await this.#parts.readApprovals() }))
      // A list that cannot be read ends neither the process nor the next lists: the page asks for it and is told why.
      .catch(() => {}));
  }

  #send(event: InspectorEvent): void {
    const text = JSON.stringify(revealAnswer(this.#parts.redact(event)));
    for (const stream of this.#streams) {
      if (stream.writableEnded) continue;
      // A page that sleeps connects again when it wakes up, and reads everything anew.
      if (stream.writableLength > MAX_WAITING) stream.destroy();
      else writeEvent(stream, text);
    }
  }
}
