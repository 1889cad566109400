import { expect, it } from 'vitest';
import { createEventReader, type ServerEvent } from './read-events.ts';

function readAll(text: string, size: number): ServerEvent[] {
  const events: ServerEvent[] = [];
  const read = createEventReader((event) => events.push(event), 1000);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  return events;
}

it.each([1, 2, 3, 7, 1000])('reads events in pieces of %i bytes', (size) => {
  const text =
    '\uFEFF: hello\r\n\r\ndata: ä€😀\r\ndata:two\n\nevent: tick\rdata\rid: 7\r\rretry: 5\nevent: none\n\ndata:  {"a": 1}\n\ndata: never ended';
  expect(readAll(text, size)).toEqual([
    { event: 'message', data: 'ä€😀\ntwo', id: '' },
    { event: 'tick', data: '', id: '7' },
    { event: 'message', data: ' {"a": 1}', id: '7' },
  ]);
});

it.each([
  ['a line', 'data: ' + 'x'.repeat(2000)],
  ['an event', 'data: xxxxxxxxx\n'.repeat(200)],
])('drops an endless %s', (_, text) => {
  const read = createEventReader(() => {}, 1000);
  expect(read(Buffer.from(text))).toBe(false);
});
