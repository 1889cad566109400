/** One server-sent event. */
export interface ServerEvent {
  /** `message` where the server names none. */
  readonly event: string;
  readonly data: string;
  /** Empty where the server gives none. */
  readonly id: string;
}

/** Why a collection of events ended: as agreed, at its limit, when its time was over, or by the server. */
export type EventsEnd = 'done' | 'limit' | 'time' | 'closed' | 'broken';

/**
 * Reads `text/event-stream` in pieces, as the HTML standard has it, and hands on each event.
 * The reader gives false for a line or an event over `maxLength` characters, which it does not keep.
 */
export function createEventReader(
  onEvent: (event: ServerEvent) => void,
  maxLength: number,
): (chunk: Uint8Array) => boolean {
  // It drops a byte order mark, and keeps characters together that are cut in two.
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
    // A return and a line feed end one line, also when they come in two pieces.
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
