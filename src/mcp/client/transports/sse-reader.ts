/** One event of a stream. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Handlers of an event stream. */
export interface SseHandlers {
  onEvent(event: SseEvent): void;
  /** The server says how many milliseconds to wait before coming back. */
  onRetry(milliseconds: number): void;
  onTooLarge(): void;
}

/** Reads server-sent events; an event of more than `limit` characters ends the reading. */
export function createSseReader(limit: number, handlers: SseHandlers): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let held = '';
  let parts: string[] = [];
  let event = '';
  let data: string[] = [];
  let size = 0;
  let id: string | undefined;
  let isOver = false;

  const take = (line: string): void => {
    if (line === '') {
      if (data.length > 0 || id !== undefined)
        handlers.onEvent({ event: event === '' ? 'message' : event, data: data.join('\n'), id });
      [event, data, size, id] = ['', [], 0, undefined];
      return;
    }
    const colon = line.indexOf(':');
    // A comment keeps the connection alive, and is nothing else.
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) handlers.onRetry(Number(value));
  };

  return (chunk) => {
    if (isOver) return;
    const text = held + decoder.decode(chunk, { stream: true });
    // A return at the very end may be half of a line end.
    held = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      size += line.length;
      if (size > limit) break;
      // Only the first line can have begun in an earlier piece; joining once keeps long lines linear.
      take(parts.length === 0 ? line : parts.join('') + line);
      parts = [];
    }
    if (last !== '') parts.push(last);
    size += last.length;
    if (size <= limit) return;
    isOver = true;
    parts = [];
    handlers.onTooLarge();
  };
}
