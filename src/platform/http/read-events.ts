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

/**
 * Parses a `text/event-stream` in pieces as the HTML standard defines it, and passes on each event.
 * The reader returns false for a line or an event over `maxLength` characters, and drops it.
 */
export function createEventReader(
  onEvent: (event: ServerEvent) => void,
  maxLength: number,
): (chunk: Uint8Array) => boolean {
  // The decoder removes a byte order mark and joins characters split between pieces.
  const decoder = new TextDecoder();
  let rest = '';
  let endedWithReturn = false;
  let event = '';
  let data: string[] = [];
  let length = 0;
  let id = '';

  const take = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ event: event === '' ? 'message' : event, data: data.join('\n'), id });
      event = '';
      data = [];
      length = 0;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      data.push(value);
      length += value.length + 1;
    } else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  };
  return (chunk) => {
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') return true;
    // A carriage return and a line feed end one line, even when they arrive in two pieces.
    if (endedWithReturn && text.startsWith('\n')) text = text.slice(1);
    endedWithReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      take(line);
      if (length > maxLength) return false;
    }
    return rest.length <= maxLength;
  };
}
