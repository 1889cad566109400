import type { ServerResponse } from 'node:http';
import { KeptStream } from './kept-stream.ts';
import type { JsonRpcId } from '../../../protocol/json-rpc.ts';
import type { StreamPlace, StreamWriter } from '../replicas/stream-log.ts';
import type { ExtraHeaders } from '../respond.ts';

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
