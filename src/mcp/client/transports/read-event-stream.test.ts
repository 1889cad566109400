import { describe, expect, it } from 'vitest';
import { createSseReader, type SseEvent } from './read-event-stream.ts';

function read(chunks: readonly Buffer[], limit = 1000): { events: SseEvent[]; retries: number[]; tooLarge: number } {
  const seen = { events: [] as SseEvent[], retries: [] as number[], tooLarge: 0 };
  const take = createSseReader(limit, {
    onEvent: (event) => seen.events.push(event),
    onRetry: (milliseconds) => seen.retries.push(milliseconds),
    onTooLarge: () => seen.tooLarge++,
  });
  for (const chunk of chunks) take(chunk);
  return seen;
}

const STREAM =
  ': hello\r\n\r\nid: 7\nretry: 500\ndata: \n\nevent: message\ndata: {"a":\ndata: "ä"}\n\ndata:x\r\rretry: soon\n\nid\n\n';

describe('createSseReader', () => {
  it('reads events however the bytes are cut', () => {
    const expected = [
      { event: 'message', data: '', id: '7' },
      { event: 'message', data: '{"a":\n"ä"}', id: undefined },
      { event: 'message', data: 'x', id: undefined },
      { event: 'message', data: '', id: '' },
    ];
    expect(read([Buffer.from(STREAM)])).toEqual({ events: expected, retries: [500], tooLarge: 0 });
    const bytes = [...Buffer.from(STREAM)].map((byte) => Buffer.from([byte]));
    expect(read(bytes)).toEqual({ events: expected, retries: [500], tooLarge: 0 });
  });

  it('stops at an event over the limit, in one line or in many', () => {
    expect(read([Buffer.from(`data: ${'x'.repeat(2000)}`)])).toMatchObject({ events: [], tooLarge: 1 });
    expect(read([Buffer.from('data: xxxxxxxxxx\n'.repeat(200)), Buffer.from('\n\n')])).toMatchObject({
      events: [],
      tooLarge: 1,
    });
  });
});
