import { isPlainObject } from '../../../../tool/json.ts';
import type { StoreTransaction } from '../../../../platform/store/board-store.ts';
import { sealById, toStoredName, unsealById } from '../../../../platform/store/sealed-space.ts';
import type { JsonRpcId } from '../../../protocol/json-rpc.ts';
import type { Replica } from './replica.ts';

const SPACE = 'mcp-streams';
/** Milliseconds before events are written, so that several are written together. */
const PAUSE = 20;
/** Milliseconds before a failed write is repeated. */
const RETRY = 1_000;
/** Milliseconds that a stream is kept while open, after its end, and that each of its parts is kept. */
const KEEP_OPEN = 6 * 60 * 60_000;
const KEEP_OVER = 5 * 60_000;
const KEEP_PART = 15 * 60_000;
/** Stored parts of one stream, and events and characters that may wait for the store. */
const MAX_PARTS = 64;
const MAX_WAITING = 256;
const MAX_CHARACTERS = 1024 * 1024;
/** Streams that may wait for the store. */
const MAX_STREAMS = 2_000;

/** The identity of a stream, and the rights that resume it. */
export interface StreamPlace {
  readonly session: string;
  readonly name: string;
  /** The request whose answer ends it. */
  readonly request?: JsonRpcId | undefined;
  readonly rights: string;
}

export interface StreamEvent {
  readonly number: number;
  readonly text: string;
}

/** The record of a stream in the store. */
export interface StreamRow {
  /** The process that sends it. */
  readonly replica: string;
  readonly request: JsonRpcId | undefined;
  readonly rights: string;
  /** Parts written so far; the first ones may be deleted. */
  readonly parts: number;
  readonly isOver: boolean;
}

/** Stores a stream's events for clients that resume it at another process. */
export interface StreamWriter {
  append(event: StreamEvent): void;
  end(): void;
}

interface OpenStream extends StreamPlace {
  readonly waiting: StreamEvent[];
  /** Replicas at which the client reads on. */
  readonly followers: Set<string>;
  characters: number;
  parts: number;
  isOver: boolean;
}

/** Stores the streams of this process in the background. */
export class StreamLog {
  readonly #replica: Replica;
  readonly #open = new Map<string, OpenStream>();
  readonly #changed = new Set<OpenStream>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  open(place: StreamPlace): StreamWriter {
    const stream: OpenStream = {
      ...place,
      waiting: [],
      followers: new Set(),
      characters: 0,
      parts: 0,
      isOver: false,
    };
    const key = toKey(place);
    this.#open.set(key, stream);
    return {
      append: (event) => {
        stream.waiting.push(event);
        stream.characters += event.text.length;
        // Only an unavailable store lets so much wait: the newest events are kept.
        while (stream.waiting.length > 1 && (stream.waiting.length > MAX_WAITING || stream.characters > MAX_CHARACTERS))
          stream.characters -= stream.waiting.shift()?.text.length ?? 0;
        this.#note(stream);
      },
      end: () => {
        stream.isOver = true;
        this.#open.delete(key);
        this.#note(stream);
      },
    };
  }

  /** Notifies a replica of each further event of a stream. */
  follow(place: Pick<StreamPlace, 'session' | 'name'>, replica: string): void {
    const stream = this.#open.get(toKey(place));
    stream?.followers.add(replica);
    if (stream !== undefined) this.#note(stream);
  }

  async find(place: Pick<StreamPlace, 'session' | 'name'>): Promise<StreamRow | undefined> {
    return parseRow(await this.#replica.store?.space(SPACE).get(toKey(place)));
  }

  async read(place: Pick<StreamPlace, 'session' | 'name'>, from: number, to: number): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    for (let part = Math.max(from, to - MAX_PARTS); part < to; part++) {
      const sealed = await this.#replica.store?.bytes.read(`${toKey(place)} ${part}`, 0);
      const bytes = sealed && unsealById(place.session, sealed);
      // Only this program can have written what the session's id unseals.
      if (bytes !== undefined) events.push(...(JSON.parse(bytes.toString('utf8')) as StreamEvent[]));
    }
    return events;
  }

  /** Resolves when everything is written, or could not be. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    await this.#write();
    clearTimeout(this.#timer);
  }

  #note(stream: OpenStream): void {
    this.#changed.add(stream);
    // While the store is unavailable, the newest streams are kept.
    const [oldest] = this.#changed;
    if (this.#changed.size > MAX_STREAMS && oldest !== undefined) this.#changed.delete(oldest);
    this.#schedule(PAUSE);
  }

  #schedule(pause: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, pause).unref();
  }

  async #write(): Promise<void> {
    // The running write schedules the next.
    if (this.#writing !== undefined || this.#changed.size === 0) return;
    const writing = this.#writeChanged();
    this.#writing = writing.then(() => undefined);
    const isWritten = await writing;
    this.#writing = undefined;
    if (this.#changed.size > 0) this.#schedule(isWritten ? PAUSE : RETRY);
  }

  /** Writes the new events of all streams; returns false on failure. */
  async #writeChanged(): Promise<boolean> {
    const streams = [...this.#changed].map((stream) => ({
      stream,
      events: [...stream.waiting],
      isOver: stream.isOver,
      followers: [...stream.followers],
    }));
    this.#changed.clear();
    try {
      await this.#replica.store?.transaction(
        async (inside) => {
          for (const given of streams) await this.#writeStream(inside, given);
        },
        { durable: false },
      );
    } catch {
      for (const { stream } of streams) this.#changed.add(stream);
      return false;
    }
    for (const { stream, events } of streams) {
      if (events.length > 0) stream.parts++;
      stream.waiting.splice(0, stream.waiting.findLastIndex((event) => events.includes(event)) + 1);
      stream.characters = stream.waiting.reduce((sum, { text }) => sum + text.length, 0);
    }
    return true;
  }

  async #writeStream(
    inside: StoreTransaction,
    written: {
      readonly stream: OpenStream;
      readonly events: readonly StreamEvent[];
      readonly isOver: boolean;
      readonly followers: readonly string[];
    },
  ): Promise<void> {
    const { stream, events, isOver, followers } = written;
    const { session, request, rights, parts } = stream;
    const key = toKey(stream);
    if (events.length > 0) {
      const bytes = sealById(session, Buffer.from(JSON.stringify(events)));
      await inside.bytes.write({ id: `${key} ${parts}`, piece: 0, bytes, ttl: KEEP_PART });
      if (parts >= MAX_PARTS) await inside.bytes.delete(`${key} ${parts - MAX_PARTS}`);
    }
    const row = { replica: this.#replica.id, request, rights, parts: parts + (events.length > 0 ? 1 : 0), isOver };
    await inside.space(SPACE).set(key, row, { ttl: isOver ? KEEP_OVER : KEEP_OPEN });
    for (const follower of followers) await this.#replica.send(follower, { type: 'events', stream: key }, inside);
  }
}

export function toKey({ session, name }: Pick<StreamPlace, 'session' | 'name'>): string {
  return `${toStoredName(session)} ${name}`;
}

function parseRow(value: unknown): StreamRow | undefined {
  if (!isPlainObject(value)) return undefined;
  const { replica, request, rights, parts, isOver } = value;
  if (typeof replica !== 'string' || typeof rights !== 'string' || typeof parts !== 'number') return undefined;
  const id = typeof request === 'string' || typeof request === 'number' ? request : undefined;
  return { replica, request: id, rights, parts, isOver: isOver === true };
}
