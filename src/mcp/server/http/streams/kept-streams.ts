import type { ServerResponse } from 'node:http';
import { KeptStream } from './kept-stream.ts';
import type { ExtraHeaders } from '../respond.ts';

/** How many streams without a listener are kept for a session, and how many characters of them together. */
const MAX_LEFT = 32;
const MAX_SIZE = 1024 * 1024;
/** Milliseconds that a stream is kept after its end. */
const KEEP = 5 * 60_000;
const NO_REQUEST = '0';

/** The streams of a session by name, so that a client whose connection broke goes on where it was. */
export class KeptStreams {
  readonly #streams = new Map<string, KeptStream>();
  #count = 0;

  /** Whether the client listens to what belongs to no request. */
  get isListening(): boolean {
    return this.#streams.get(NO_REQUEST)?.isOpen === true;
  }

  /** Opens the stream of a request, for those with these rights. */
  open(
    response: ServerResponse,
    { headers, rights }: { readonly headers?: ExtraHeaders | undefined; readonly rights: string },
  ): KeptStream {
    this.#makeRoom();
    const stream = this.#add(String(++this.#count), rights);
    stream.open(response, headers === undefined ? {} : { headers });
    return stream;
  }

  /** Opens the stream of what belongs to no request. */
  listen(response: ServerResponse): KeptStream {
    const stream = this.#streams.get(NO_REQUEST) ?? this.#add(NO_REQUEST);
    stream.open(response);
    return stream;
  }

  /** Goes on with a stream after the event of this id; `undefined` when it is not known (any more), or not for these rights. */
  resume(
    eventId: string,
    { response, rights }: { readonly response: ServerResponse; readonly rights: string },
  ): KeptStream | undefined {
    const [, name = '', number] = /^(\d{1,15})-(\d{1,15})$/.exec(eventId) ?? [];
    const stream = this.#streams.get(name);
    // The stream of no request holds nothing but that lists and resources changed.
    if (name !== NO_REQUEST && stream?.rights !== rights) return undefined;
    stream?.open(response, { after: Number(number) });
    return stream;
  }

  /** Forgets streams that were over for long. */
  expire(): void {
    const oldest = Date.now() - KEEP;
    for (const [name, { overAt = Infinity }] of this.#streams) if (overAt < oldest) this.#streams.delete(name);
  }

  /** Ends the stream of what belongs to no request; requests end theirs. */
  close(): void {
    this.#streams.get(NO_REQUEST)?.end();
    this.#streams.delete(NO_REQUEST);
  }

  #add(name: string, rights?: string): KeptStream {
    const stream = new KeptStream(name, rights);
    this.#streams.set(name, stream);
    return stream;
  }

  /** Forgets the oldest streams without a listener, when there are many. */
  #makeRoom(): void {
    const left = [...this.#streams].filter(([name, { isOpen }]) => name !== NO_REQUEST && !isOpen);
    let size = left.reduce((sum, [, stream]) => sum + stream.size, 0);
    for (const [index, [name, stream]] of left.entries()) {
      if (left.length - index < MAX_LEFT && size <= MAX_SIZE) return;
      this.#streams.delete(name);
      size -= stream.size;
    }
  }
}
