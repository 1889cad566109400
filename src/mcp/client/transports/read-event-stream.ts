import { FrameReader } from './frame-reader.ts';
import type { JsonObject } from './transport.ts';

export interface StreamEnd {
  readonly isAnswered: boolean;
  readonly isTooLarge: boolean;
  /** The id of the last event that has one, from which the stream can be resumed. */
  readonly lastEvent: string | undefined;
}

export interface ReadOptions {
  /** The request of the stream: its answer is the end. `undefined` for the stream outside of requests. */
  readonly id: number | undefined;
  /** The last event before an interruption. */
  readonly lastEvent: string | undefined;
  readonly maxFrame: number;
  readonly onMessage: (message: JsonObject) => void;
  readonly onRetry: (milliseconds: number) => void;
}

/** Reads the messages of an event stream until it ends or breaks. Rejects if it breaks and cannot be resumed. */
export async function readEventStream(body: AsyncIterable<unknown>, options: ReadOptions): Promise<StreamEnd> {
  const { id, maxFrame, onMessage, onRetry } = options;
  let isAnswered = false;
  let isTooLarge = false;
  let { lastEvent } = options;
  const frames = new FrameReader((message) => {
    if (message === undefined) return;
    if (message['id'] === id && !('method' in message)) isAnswered = true;
    onMessage(message);
  });
  const read = createSseReader(maxFrame, {
    onRetry,
    onTooLarge: () => (isTooLarge = true),
    onEvent: ({ event, data, id: eventId }) => {
      if (eventId !== undefined && eventId !== '') lastEvent = eventId;
      if (event !== 'message' || data === '') return;
      frames.push(data);
    },
  });
  try {
    for await (const chunk of body) {
      if (Buffer.isBuffer(chunk)) read(chunk);
      await frames.reading;
      // After the answer, the rest of the stream is not read.
      if (isAnswered || isTooLarge) break;
    }
  } catch (error) {
    // A broken connection is like an ended stream: it may be resumed.
    if (lastEvent === undefined) throw error;
  }
  return { isAnswered, isTooLarge, lastEvent };
}

/** One event of a stream. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

interface SseHandlers {
  onEvent(event: SseEvent): void;
  /** The server sets the milliseconds to wait before reconnecting. */
  onRetry(milliseconds: number): void;
  onTooLarge(): void;
}

/** Parses server-sent events; stops at an event of more than `limit` characters. */
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
    // A comment only keeps the connection alive.
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
    // A final carriage return may be half of a line end.
    held = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      size += line.length;
      if (size > limit) break;
      // Only the first line can have begun in an earlier chunk; joining once keeps long lines linear.
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
