import type { BodySink, SunkBody } from './body-sink.ts';
import { createEventReader, type EventsEnd, type ServerEvent } from './read-events.ts';

/** How events of a server are collected. */
export interface EventOptions {
  /** The name of the last event, or its data; such data is left out. */
  readonly until: string;
  /** Events after which no more are wanted. */
  readonly limit: number;
  /** Milliseconds after which what came is the answer. Default: as long as the request may take. */
  readonly time?: number | undefined;
  /** Hears each event, with how many came before and with it. */
  readonly onEvent: (event: ServerEvent, count: number) => void;
}

/** Collects server-sent events until their end. What came before a connection breaks counts. */
export function createEventSink({ until, limit, time, onEvent }: EventOptions, maxBytes: number): BodySink {
  const events: ServerEvent[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let end: EventsEnd | undefined;
  let size = 0;
  const close = (why: EventsEnd): void => {
    end ??= why;
    clearTimeout(timer);
    resolve();
  };
  const timer = time === undefined ? undefined : setTimeout(() => close('time'), time);
  const read = createEventReader((event) => {
    if (end !== undefined) return;
    // An id is given once and holds for all events after it.
    size += event.data.length + event.event.length + event.id.length;
    if (event.data === until) return close('done');
    if (size > maxBytes) return close('limit');
    events.push(event);
    onEvent(event, events.length);
    if (event.event === until) close('done');
    else if (events.length >= limit) close('limit');
  }, maxBytes);
  return {
    get isFull() {
      return end !== undefined;
    },
    ended,
    add(chunk) {
      if (end === undefined && !read(chunk)) close('limit');
      return undefined;
    },
    salvage() {
      if (events.length === 0) return false;
      close('broken');
      return true;
    },
    finish(): SunkBody {
      const why = end ?? 'closed';
      close(why);
      return { body: { type: 'events', events, end: why }, truncated: undefined };
    },
    discard: () => close('broken'),
  };
}
