import { describe, expect, it } from 'vitest';
import { createEventReader } from './read-events.ts';

function readAll(text: string, size: number): { events: unknown[]; retries: number[] } {
  const seen = { events: [] as unknown[], retries: [] as number[] };
  const read = createEventReader(
    (event) => seen.events.push(event),
    1000,
    (milliseconds) => seen.retries.push(milliseconds),
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) expect(read(bytes.subarray(at, at + size))).toBe(true);
  return seen;
}

describe.each([1, 2, 3, 7, 1000])('in pieces of %i bytes', (size) => {
  it('reads events', () => {
    const text =
      '\uFEFF: hello\r\n\r\ndata: ä€😀\r\ndata:two\n\nevent: tick\rdata\rid: 7\r\rretry: 5\nevent: none\n\ndata:  {"a": 1}\n\ndata: never ended';
    expect(readAll(text, size)).toEqual({
      events: [
        { event: 'message', data: 'ä€😀\ntwo', id: undefined },
        { event: 'tick', data: '', id: '7' },
        { event: 'message', data: ' {"a": 1}', id: undefined },
      ],
      retries: [5],
    });
  });

  it('reads ids without data, and waits before reconnecting', () => {
    const text =
      ': hello\r\n\r\nid: 7\nretry: 500\ndata: \n\nevent: message\ndata: {"a":\ndata: "ä"}\n\ndata:x\r\rretry: soon\n\nid\n\n';
    expect(readAll(text, size)).toEqual({
      events: [
        { event: 'message', data: '', id: '7' },
        { event: 'message', data: '{"a":\n"ä"}', id: undefined },
        { event: 'message', data: 'x', id: undefined },
        { event: 'message', data: undefined, id: '' },
      ],
      retries: [500],
    });
  });
});

it.each([
  ['a line', 'data: ' + 'x'.repeat(2000)],
  ['an event', 'data: xxxxxxxxx\n'.repeat(200)],
])('stops at %s over the limit', (_, text) => {
  const events: unknown[] = [];
  const read = createEventReader((event) => events.push(event), 1000);
  expect(read(Buffer.from(text))).toBe(false);
  expect(read(Buffer.from('\n\ndata: x\n\n'))).toBe(false);
  expect(events).toEqual([]);
});
