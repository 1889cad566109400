import type { ServerResponse } from 'node:http';
import type { ExtraHeaders } from '../respond.ts';
import type { StreamWriter } from '../replicas/stream-log.ts';
import { openEventStream, writeEvent, writeEventId } from './event-stream.ts';

/** Events and bytes that are kept of one stream; the newest event is always kept. */
const MAX_EVENTS = 256;
const MAX_BYTES = 1024 * 1024;

/** A stream of events that outlives its connection: what came last is kept for a client that comes back. */
export class KeptStream {
  /** The rights under which it was opened: a client with others gets nothing that was kept. */
  readonly rights: string;
  readonly name: string;
  readonly #writer: StreamWriter | undefined;
  readonly #kept: { readonly number: number; readonly text: string }[] = [];
  #bytes = 0;
  #last = 0;
  #overAt: number | undefined;
  #response: ServerResponse | undefined;

  /** With a `writer` its events are kept for other processes too. */
  constructor(name: string, rights = '', writer?: StreamWriter) {
    this.rights = rights;
    this.name = name;
    this.#writer = writer;
  }

  /** True while the client listens. */
  get isOpen(): boolean {
    return this.#response !== undefined;
  }

  /** Characters that are kept. */
  get size(): number {
    return this.#bytes;
  }

  /** Sends events over this response from now on, after those that followed the event of this number. */
  open(
    response: ServerResponse,
    { after, headers }: { readonly after?: number; readonly headers?: ExtraHeaders } = {},
  ): void {
    // A client that comes back knows sooner than we that its connection broke.
    this.#response?.end();
    openEventStream(response, headers);
    this.#response = response;
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
    for (const { number, text } of this.#kept) if (after !== undefined && number > after) this.#write(number, text);
    if (this.#overAt !== undefined) response.end();
  }

  /** Sends an event without a message: its id is where a client goes on that hears nothing else. */
  prime(): void {
    if (this.#response !== undefined) writeEventId(this.#response, `${this.name}-${this.#last}`);
  }

  send(text: string): void {
    const number = ++this.#last;
    this.#kept.push({ number, text });
    this.#bytes += text.length;
    while (this.#kept.length > 1 && (this.#kept.length > MAX_EVENTS || this.#bytes > MAX_BYTES)) {
      this.#bytes -= this.#kept.shift()?.text.length ?? 0;
    }
    this.#writer?.append({ number, text });
    this.#write(number, text);
  }

  /** Ends the connection of a client that goes on elsewhere; what is sent is still kept. */
  detach(): void {
    this.#response?.end();
    this.#response = undefined;
  }

  /** When the last event was sent, by a clock that does not jump, where nothing follows. A connection that is gone may take it without a word. */
  get overAt(): number | undefined {
    return this.#overAt;
  }

  /** Nothing more follows. */
  end(): void {
    if (this.#overAt === undefined) this.#writer?.end();
    this.#overAt = performance.now();
    this.#response?.end();
  }

  #write(number: number, text: string): void {
    if (this.#response !== undefined) writeEvent(this.#response, text, `${this.name}-${number}`);
  }
}
