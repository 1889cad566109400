import type { ServerResponse } from 'node:http';
import type { JsonRpcId } from '../../../protocol/json-rpc.ts';
import type { StreamPlace, StreamWriter } from '../replicas/stream-log.ts';
import { type ExtraHeaders, openEventStream, writeEvent, writeEventId } from '../respond.ts';

/** Most streams without a listener that are kept for a session, and most characters of them together. */
const MAX_LEFT = 32;
const MAX_SIZE = 1024 * 1024;
/** Milliseconds that a stream is kept after its end. */
const KEEP = 5 * 60_000;
const NO_REQUEST = '0';

/** Stores streams for other processes of the board. */
export interface StreamSharing {
  /** The prefix of the names of this process's streams. */
  readonly prefix: string;
  open(place: Omit<StreamPlace, 'session'>): StreamWriter;
}

/** The parts of an event's id: its stream, a flag for the stream of no request, and the position in it. */
interface EventPlace {
  readonly name: string;
  readonly isOfRequest: boolean;
  readonly number: number;
}

/** The streams of a session by name, so that a client whose connection broke goes on where it was. */
export class KeptStreams {
  readonly #streams = new Map<string, KeptStream>();
  readonly #sharing: StreamSharing | undefined;
  /** The name of the stream of what belongs to no request. */
  readonly #general: string;
  #count = 0;

  constructor(sharing?: StreamSharing) {
    this.#sharing = sharing;
    this.#general = `${sharing?.prefix ?? ''}${NO_REQUEST}`;
  }

  /** True when the client listens to messages that belong to no request. */
  get isListening(): boolean {
    return this.#streams.get(this.#general)?.isOpen === true;
  }

  /** Opens the stream of a request, for those with these rights. */
  open(
    response: ServerResponse,
    options: {
      readonly headers?: ExtraHeaders | undefined;
      readonly rights: string;
      readonly request?: JsonRpcId | undefined;
    },
  ): KeptStream {
    const { headers, rights, request } = options;
    this.#makeRoom();
    const stream = this.#add(`${this.#sharing?.prefix ?? ''}${++this.#count}`, rights, request);
    stream.open(response, headers === undefined ? {} : { headers });
    return stream;
  }

  /** Opens the stream of what belongs to no request. */
  listen(response: ServerResponse): KeptStream {
    const stream = this.#streams.get(this.#general) ?? this.#add(this.#general);
    stream.open(response);
    return stream;
  }

  /** Goes on with a stream after the event of this id; `undefined` when it is not known (any more), or not for these rights. */
  resume(
    eventId: string,
    { response, rights }: { readonly response: ServerResponse; readonly rights: string },
  ): KeptStream | undefined {
    const { name = '', number = 0 } = parseEventId(eventId) ?? {};
    const stream = this.#streams.get(name);
    // The stream of no request holds nothing but that lists and resources changed.
    if (name !== this.#general && stream?.rights !== rights) return undefined;
    stream?.open(response, { after: number });
    return stream;
  }

  /** Ends the connection of a stream whose client goes on at another process. */
  detach(name: string): void {
    this.#streams.get(name)?.detach();
  }

  /** Forgets streams that were over for long. */
  expire(): void {
    const oldest = performance.now() - KEEP;
    for (const [name, { overAt = Infinity }] of this.#streams) if (overAt < oldest) this.#streams.delete(name);
  }

  /** Ends the stream of what belongs to no request; requests end theirs. */
  close(): void {
    this.#streams.get(this.#general)?.end();
    this.#streams.delete(this.#general);
  }

  #add(name: string, rights = '', request?: JsonRpcId): KeptStream {
    const stream = new KeptStream(name, rights, this.#sharing?.open({ name, rights, request }));
    this.#streams.set(name, stream);
    return stream;
  }

  /** Forgets the oldest streams without a listener, when there are many. */
  #makeRoom(): void {
    const left = [...this.#streams].filter(([name, { isOpen }]) => name !== this.#general && !isOpen);
    let size = left.reduce((sum, [, stream]) => sum + stream.size, 0);
    for (const [index, [name, stream]] of left.entries()) {
      if (left.length - index < MAX_LEFT && size <= MAX_SIZE) return;
      this.#streams.delete(name);
      size -= stream.size;
    }
  }
}

/** Reads the id of an event; `undefined` for what is none. */
export function parseEventId(text: string): EventPlace | undefined {
  const [, prefix = '', stream, number] = /^([0-9a-f]{12}\.)?(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (stream === undefined) return undefined;
  return { name: `${prefix}${stream}`, isOfRequest: stream !== NO_REQUEST, number: Number(number) };
}

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
