import { createEventReader } from '../../../platform/http/read-events.ts';
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
  const read = createEventReader(
    ({ event, data, id: eventId }) => {
      if (eventId !== undefined && eventId !== '') lastEvent = eventId;
      if (event === 'message' && data !== undefined && data !== '') frames.push(data);
    },
    maxFrame,
    onRetry,
  );
  try {
    for await (const chunk of body) {
      if (Buffer.isBuffer(chunk)) isTooLarge = !read(chunk);
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
