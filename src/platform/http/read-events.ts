/** One server-sent event. */
export interface ServerEvent {
  /** Default: `message`. */
  readonly event: string;
  readonly data: string;
  /** Empty when the server sent none. */
  readonly id: string;
}

/** The reason why a collection of events ended: the agreed last event, a limit, the time, or the server. */
export type EventsEnd = 'done' | 'limit' | 'time' | 'closed' | 'broken';

/** The end of an event: its own fields only. */
interface ReadEvent {
  readonly event: string;
  /** `undefined` for an event that only has an id. */
  readonly data: string | undefined;
  readonly id: string | undefined;
}

/**
 * Parses a `text/event-stream` in pieces as the HTML standard defines it, and passes on each event.
 * The reader returns false from an event of more than `maxLength` characters on, and reads no further.
 */
export function createEventReader(
  onEvent: (event: ReadEvent) => void,
  maxLength: number,
  onRetry?: (milliseconds: number) => void,
): (chunk: Uint8Array) => boolean {
  // The decoder removes a byte order mark and joins characters split between pieces.
  const decoder = new TextDecoder();
  let held = '';
  let parts: string[] = [];
  let event = '';
  let data: string[] = [];
  let size = 0;
  let id: string | undefined;

  const take = (line: string): void => {
    if (line === '') {
      if (data.length > 0 || id !== undefined)
        onEvent({
          event: event === '' ? 'message' : event,
          data: data.length === 0 ? undefined : data.join('\n'),
          id,
        });
      [event, data, size, id] = ['', [], 0, undefined];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) onRetry?.(Number(value));
  };
  return (chunk) => {
    if (size > maxLength) return false;
    const text = held + decoder.decode(chunk, { stream: true });
    // A final carriage return may be half of a line end.
    held = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      size += line.length;
      if (size > maxLength) return false;
      // Only the first line can have begun in an earlier piece; joining once keeps long lines linear.
      take(parts.length === 0 ? line : parts.join('') + line);
      parts = [];
    }
    if (last !== '') parts.push(last);
    size += last.length;
    return size <= maxLength;
  };
}
