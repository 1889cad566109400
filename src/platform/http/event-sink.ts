import type { BodySink, SunkBody } from './body-sink.ts';
import { createEventReader, type EventsEnd, type ServerEvent } from './read-events.ts';

/** Options for collecting server-sent events. */
export interface EventOptions {
  /** The name or the data of the last event. An event with this data is not included. */
  readonly until: string;
  /** Maximum number of events. */
  readonly limit: number;
  /** Milliseconds after which the events so far are the answer. Default: the request's timeout. */
  readonly time?: number | undefined;
  /** Called for each event with the number of events so far. */
  readonly onEvent: (event: ServerEvent, count: number) => void;
}

/** Collects server-sent events until their end. Events received before a connection breaks are kept. */
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
    // A server sends an id once; it applies to all later events.
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
