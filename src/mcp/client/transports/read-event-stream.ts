import { FrameReader } from './frame-reader.ts';
import { createSseReader } from './sse-reader.ts';
import type { JsonObject } from './wire-message.ts';

/** The end of a stream. */
export interface StreamEnd {
  /** True when the answer to the request came. */
  readonly isAnswered: boolean;
  readonly isTooLarge: boolean;
  /** The id of the last event that has one: where the stream can be taken up again. */
  readonly lastEvent: string | undefined;
}

/** The stream to read, and its listeners. */
export interface ReadOptions {
  /** The request that the stream is for, if it is for one: its answer is the end. */
  readonly id: number | undefined;
  /** The last event that was heard before, where this takes up a stream that broke off. */
  readonly lastEvent: string | undefined;
  readonly maxFrame: number;
  readonly onMessage: (message: JsonObject) => void;
  readonly onRetry: (milliseconds: number) => void;
}

/** Reads the messages of a stream of events until it ends or breaks. Rejects when it breaks where it cannot be taken up again. */
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
      // The answer ends what we want to hear; a server that goes on is not listened to.
      if (isAnswered || isTooLarge) break;
    }
  } catch (error) {
    // A broken connection is like a stream that ended: it may be resumed.
    if (lastEvent === undefined) throw error;
  }
  return { isAnswered, isTooLarge, lastEvent };
}
