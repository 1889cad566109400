import type { ServerResponse } from 'node:http';
import type { JsonRpcId } from '../../../protocol/json-rpc.ts';
import type { StreamPlace, StreamWriter } from '../replicas/stream-log.ts';
import { type ExtraHeaders, openEventStream, writeEvent, writeEventId } from '../respond.ts';

/** Streams without a listener that are kept for a session, and their characters together. */
const MAX_LEFT = 32;
const MAX_SIZE = 1024 * 1024;
/** Milliseconds that a stream is kept after its end. */
const KEEP = 5 * 60_000;
const NO_REQUEST = '0';

/** Stores streams for other processes of the board. */
export interface StreamSharing {
  readonly prefix: string;
  open(place: Omit<StreamPlace, 'session'>): StreamWriter;
}

/** The parts of an event's id. */
interface EventPlace {
  readonly name: string;
  readonly isOfRequest: boolean;
  readonly number: number;
}

/** The streams of a session by name, so that a client can resume an interrupted one. */
export class KeptStreams {
  readonly #streams = new Map<string, KeptStream>();
  readonly #sharing: StreamSharing | undefined;
  /** The name of the stream outside of requests. */
  readonly #general: string;
  #count = 0;

  constructor(sharing?: StreamSharing) {
    this.#sharing = sharing;
    this.#general = `${sharing?.prefix ?? ''}${NO_REQUEST}`;
  }

  /** True when the client listens to messages outside of requests. */
  get isListening(): boolean {
    return this.#streams.get(this.#general)?.isOpen === true;
  }

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

  /** Opens the stream outside of requests. */
  listen(response: ServerResponse): KeptStream {
    const stream = this.#streams.get(this.#general) ?? this.#add(this.#general);
    stream.open(response);
    return stream;
  }

  /** Resumes a stream after the event with this id; `undefined` if it is unknown or needs other rights. */
  resume(
    eventId: string,
    { response, rights }: { readonly response: ServerResponse; readonly rights: string },
  ): KeptStream | undefined {
    const { name = '', number = 0 } = parseEventId(eventId) ?? {};
    const stream = this.#streams.get(name);
    // The stream outside of requests only announces changed lists and resources.
    if (name !== this.#general && stream?.rights !== rights) return undefined;
    stream?.open(response, { after: number });
    return stream;
  }

  /** Closes the connection of a client that continues at another process; events are still kept. */
  detach(name: string): void {
    this.#streams.get(name)?.detach();
  }

  /** Removes streams that ended long ago. */
  expire(): void {
    const oldest = performance.now() - KEEP;
    for (const [name, { overAt = Infinity }] of this.#streams) if (overAt < oldest) this.#streams.delete(name);
  }

  /** Ends the stream outside of requests; requests end theirs. */
  close(): void {
    this.#streams.get(this.#general)?.end();
    this.#streams.delete(this.#general);
  }

  #add(name: string, rights = '', request?: JsonRpcId): KeptStream {
    const stream = new KeptStream(name, rights, this.#sharing?.open({ name, rights, request }));
    this.#streams.set(name, stream);
    return stream;
  }

  /** Removes the oldest streams without a listener if there are many. */
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

export function parseEventId(text: string): EventPlace | undefined {
  const [, prefix = '', stream, number] = /^([0-9a-f]{12}\.)?(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (stream === undefined) return undefined;
  return { name: `${prefix}${stream}`, isOfRequest: stream !== NO_REQUEST, number: Number(number) };
}

/** Events and characters that are kept of one stream; the newest event is always kept. */
const MAX_EVENTS = 256;
const MAX_BYTES = 1024 * 1024;

/** An event stream that outlives its connection: its last events are kept for a client that reconnects. */
export class KeptStream {
  /** The rights with which it was opened: other rights cannot resume it. */
  readonly rights: string;
  readonly name: string;
  readonly #writer: StreamWriter | undefined;
  readonly #kept: { readonly number: number; readonly text: string }[] = [];
  #bytes = 0;
  #last = 0;
  #overAt: number | undefined;
  #response: ServerResponse | undefined;

  /** With a `writer`, other processes can resume it. */
  constructor(name: string, rights = '', writer?: StreamWriter) {
    this.rights = rights;
    this.name = name;
    this.#writer = writer;
  }

  get isOpen(): boolean {
    return this.#response !== undefined;
  }

  get size(): number {
    return this.#bytes;
  }

  /** Sends events over this response from now on, after the kept ones that follow `after`. */
  open(
    response: ServerResponse,
    { after, headers }: { readonly after?: number; readonly headers?: ExtraHeaders } = {},
  ): void {
    // A reconnecting client knows sooner than the server that its connection broke.
    this.#response?.end();
    openEventStream(response, headers);
    this.#response = response;
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
    for (const { number, text } of this.#kept) if (after !== undefined && number > after) this.#write(number, text);
    if (this.#overAt !== undefined) response.end();
  }

  /** Sends the id from which a client without other events can resume. */
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

  /** Closes the connection of a client that continues at another process; events are still kept. */
  detach(): void {
    this.#response?.end();
    this.#response = undefined;
  }

  /** When the last event was sent. A broken connection may accept it silently. */
  get overAt(): number | undefined {
    return this.#overAt;
  }

  end(): void {
    if (this.#overAt === undefined) this.#writer?.end();
    this.#overAt = performance.now();
    this.#response?.end();
  }

  #write(number: number, text: string): void {
    if (this.#response !== undefined) writeEvent(this.#response, text, `${this.name}-${number}`);
  }
}
